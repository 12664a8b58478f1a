#!/usr/bin/env python3
"""Export small JAX programs as StableHLO text, with inputs and JAX's outputs.

Needs jax; `python3 export.py` rewrites NAME.mlir and NAME.npz beside this file. An archive holds
the arguments in0, in1, ... and the results out0, out1, ... in the order of @main.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = []


def program(*arguments, platform="cpu", shapes=None):
    """Register the function below, to be exported for these arguments. On a CPU, JAX hands linear
    algebra to LAPACK by custom calls; for a TPU it stays in StableHLO. Shapes, one an argument, name
    the extents that stay open: "b, 3"."""

    def register(f):
        PROGRAMS.append((f.__name__, f, [np.asarray(a) for a in arguments], platform, shapes))
        return f

    return register


def grid(*shape, dtype=np.float32, step=0.25, start=-1.0):
    """Coordinate-coded numbers, all different."""
    count = int(np.prod(shape))
    return (start + step * np.arange(count)).reshape(shape).astype(dtype)


def wave(*shape, dtype=np.float32):
    return np.sin(1.0 + 0.7 * np.arange(int(np.prod(shape)))).reshape(shape).astype(dtype)


# ---- Loops and branches.


@program(wave(5, 3))
def scan_cumulative(x):
    return lax.scan(lambda c, row: (c * 0.5 + row, c + row), jnp.zeros(3, x.dtype), x)


@program(wave(4, 2), wave(2, 2))
def scan_recurrent_network(x, w):
    def step(h, row):
        h = jnp.tanh(h @ w + row)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(2, x.dtype), x)


@program(wave(6))
def scan_reverse(x):
    return lax.scan(lambda c, v: (c * 0.9 + v, c), jnp.float32(0), x, reverse=True)


@program(wave(4, 3))
def scan_gradient(x):
    def loss(x):
        c, y = lax.scan(lambda c, row: (jnp.sin(c) * row, c * c), jnp.ones(3, x.dtype), x)
        return c.sum() + y.sum()

    return jax.grad(loss)(x)


@program(np.int32(27))
def while_collatz(n):
    def body(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda s: s[0] != 1, body, (n, jnp.int32(0)))


@program(np.float64(2.0))
def while_newton(a):
    def body(x):
        return 0.5 * (x + a / x)

    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-12, body, a)


@program(wave(5), np.int32(3))
def fori_loop_power(x, n):
    return lax.fori_loop(0, n, lambda i, y: y * x + i.astype(x.dtype), jnp.ones_like(x))


@program(wave(4, 4))
def fori_loop_fixed(x):
    return lax.fori_loop(0, 5, lambda i, y: y.at[i % 4].add(x[(i + 1) % 4] * 0.5), x)


@program(np.float32(-1.5), wave(3))
def cond_branches(p, x):
    return lax.cond(p > 0, lambda x: jnp.exp(x), lambda x: x * p, x)


@program(np.int32(7), wave(3))
def switch_clamps(i, x):
    return lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * 2], x)


@program(wave(3, 4))
def map_rows(x):
    return lax.map(lambda row: jnp.sort(row) * 2, x)


@program(wave(7))
def associative_scan(x):
    return lax.associative_scan(jnp.multiply, x), jnp.cumsum(x), lax.cummax(x)


# ---- Transforms.


@program(wave(3, 4), wave(4))
def vmap_dot(x, w):
    return jax.vmap(lambda row: jnp.dot(row, w) * row)(x)


@program(wave(2, 5), np.array([[1, 4], [0, 2]], np.int32))
def vmap_gather(x, i):
    return jax.vmap(lambda row, j: row[j])(x, i)


@program(wave(2, 5), np.array([3, 9], np.int32))
def vmap_dynamic_update_slice(x, i):
    return jax.vmap(lambda row, j: lax.dynamic_update_slice(row, jnp.ones(2, row.dtype), (j,)))(x, i)


@program(wave(8, 3), wave(3), wave(8))
def grad_logistic_regression(x, w, t):
    def loss(w):
        return jnp.mean(jnp.logaddexp(0.0, -jnp.sign(t) * (x @ w)))

    return jax.value_and_grad(loss)(w)


@program(wave(4, 6), np.array([1, 5, 0, 2], np.int32))
def grad_cross_entropy(logits, labels):
    def loss(z):
        return -jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], axis=1).mean()

    return jax.grad(loss)(logits)


@program(wave(3, dtype=np.float64))
def hessian_rosenbrock(x):
    def f(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return jax.hessian(f)(x)


@program(wave(4), wave(4))
def jvp_and_vjp(x, t):
    f = lambda x: jnp.sin(x) * jnp.cumsum(x)
    y, dy = jax.jvp(f, (x,), (t,))
    return y, dy, jax.vjp(f, x)[1](t)[0]


@program(wave(2, 3, dtype=np.float64))
def jacobians(a):
    return jax.jacfwd(lambda a: a @ a.T)(a), jax.jacrev(lambda a: jnp.prod(a, axis=1))(a)


# ---- Random numbers.


@program(np.uint32(42))
def random_uniform(seed):
    return jax.random.uniform(jax.random.key(seed), (3, 4))


@program(np.uint32(7))
def random_normal(seed):
    return jax.random.normal(jax.random.key(seed), (5,))


@program(np.uint32(3))
def random_permutation(seed):
    a, b = jax.random.split(jax.random.key(seed))
    return jax.random.permutation(a, 10), jax.random.randint(b, (4,), 0, 100)


@program(np.uint32(11), wave(5))
def random_categorical(seed, logits):
    return jax.random.categorical(jax.random.key(seed), logits, shape=(6,))


# ---- Neural networks.


@program(wave(3, 4))
def nn_activations(x):
    nn = jax.nn
    return nn.relu(x), nn.gelu(x), nn.silu(x), nn.softplus(x), nn.elu(x), nn.selu(x)


@program(wave(2, 5))
def nn_softmax(x):
    return jax.nn.softmax(x), jax.nn.logsumexp(x, axis=0), jax.nn.one_hot(jnp.argmax(x, 1), 5)


@program(wave(2, 3, 4))
def layer_norm(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


@program(wave(1, 2, 3, 4), wave(1, 2, 3, 4), wave(1, 2, 3, 4))
def attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v)


@program(wave(2, 3, 8, 7), wave(4, 3, 3, 2))
def convolution_two_dimensions(x, k):
    return lax.conv_general_dilated(x, k, (2, 1), ((1, 0), (2, 1)), rhs_dilation=(1, 2))


@program(wave(2, 9, 4), wave(3, 2, 6))
def convolution_groups(x, k):
    return lax.conv_general_dilated(
        x, k, (1,), [(1, 1)], lhs_dilation=(2,), feature_group_count=2,
        dimension_numbers=("NWC", "WIO", "NWC"))


@program(wave(1, 5, 5, 2), wave(3, 3, 2, 3))
def convolution_gradient(x, k):
    def loss(k):
        y = lax.conv_general_dilated(x, k, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return (y * y).sum()

    return jax.grad(loss)(k)


@program(wave(1, 6, 6, 2))
def pooling(x):
    grad = jax.grad(lambda x: lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum())(x)
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"), grad


# ---- Orders, searches, transforms of signals, linear algebra.


@program(np.array([3.0, np.nan, -0.0, 0.0, -np.inf, 3.0, 1.0], np.float32))
def sort_and_argsort(x):
    return jnp.sort(x), jnp.argsort(x), jnp.argmax(jnp.nan_to_num(x))


@program(np.array([0.1, 0.5, 0.5, 0.9], np.float32), wave(3, 2))
def searchsorted(edges, x):
    return jnp.searchsorted(edges, x), jnp.digitize(x, edges)


@program(np.array([5, 1, 5, 2, 1, 7], np.int32))
def unique_of_known_size(x):
    return jnp.unique(x, size=4, return_counts=True)


@program(wave(6, dtype=np.float32))
def top_k(x):
    return lax.top_k(x, 3)


@program(wave(3, 8))
def fft_real(x):
    f = jnp.fft.rfft(x)
    return jnp.abs(f), jnp.fft.irfft(f)


@program((wave(2, 6) + 1j * grid(2, 6)).astype(np.complex64))
def fft_complex(x):
    return jnp.fft.fft2(x), jnp.fft.ifft(x)


@program(wave(4, 4, dtype=np.float64), wave(4, 2, dtype=np.float64), platform="tpu")
def cholesky_and_solve(a, b):
    spd = a @ a.T + 4 * jnp.eye(4)
    l = lax.linalg.cholesky(spd)
    return l, lax.linalg.triangular_solve(l, b, left_side=True, lower=True)


@program(wave(3, 5), np.array([0, 2, 2, 9, -1], np.int32))
def segment_sum(x, ids):
    return jax.ops.segment_sum(x.T, ids, num_segments=4), x.at[:, ids].max(0.0)


@program(np.array([0.3, 1.5, 4.0], np.float64))
def special_functions(x):
    s = jax.scipy.special
    return s.gammaln(x), s.digamma(x), s.erfinv(jnp.tanh(x)), s.zeta(x + 1.5, x), s.polygamma(2, x)


@program(np.array([[1, 200], [30000, -7]], np.int16))
def integers(x):
    u = x.astype(jnp.uint8)
    return x // 7, x % 7, u << 3, lax.population_count(u), lax.clz(x), u.astype(jnp.float16) / 3


@program(wave(4).astype(jnp.bfloat16), wave(4))
def narrow_floats(b, x):
    return b + b * 3, x.astype(jnp.float8_e4m3fn).astype(jnp.float32), (b.astype(jnp.float16)).sum()


# ---- Extents that are not known.


@program(wave(5, 3), wave(3, 4), shapes=("b, 3", "3, 4"))
def open_matmul(x, w):
    return jnp.tanh(x @ w).sum(1), x.mean()


@program(wave(4, 6), shapes=("b, c",))
def open_softmax_gradient(x):
    def loss(x):
        return (jax.nn.log_softmax(x) * jnp.arange(x.shape[1])).sum() / x.shape[0]

    return jax.value_and_grad(loss)(x)


@program(wave(6), shapes=("2*b",))
def open_reshape(x):
    return x.reshape(2, -1), x.reshape(-1, 2)[::2], x[1:-1]


@program(wave(4, 3), shapes=("b, c",))
def open_pad_and_concatenate(x):
    return jnp.pad(x, ((0, 1), (2, 0))), jnp.concatenate([x, x + 1, jnp.zeros((x.shape[0], 2))], 1)


@program(wave(5, 2), shapes=("b, c",))
def open_scan(x):
    def step(c, row):
        return jnp.sin(c) + row, c * row

    def loss(x):
        c, y = lax.scan(step, jnp.zeros(x.shape[1], x.dtype), x)
        return c.sum() + (y * y).sum()

    return lax.scan(step, jnp.ones(x.shape[1], x.dtype), x), jax.grad(loss)(x)


@program(wave(7), shapes=("b",))
def open_fori_loop(x):
    return lax.fori_loop(0, x.shape[0], lambda i, v: v * 0.5 + x[i], jnp.float32(1))


@program(wave(3, 5), shapes=("b, c",))
def open_cumulative(x):
    return jnp.cumsum(x, 1), lax.cummax(x, axis=0, reverse=True), jnp.cumprod(x, 0)


@program(wave(9), shapes=("b",))
def open_pooling(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (3,), (2,), "SAME")


@program(wave(2, 2, 7, 7), wave(3, 2, 3, 3), shapes=("b, 2, h, h", "3, 2, 3, 3"))
def open_convolution(x, k):
    return lax.conv_general_dilated(x, k, (1, 2), "SAME")


@program(wave(6), np.array([0, -1, 3], np.int32), shapes=("b", "n"))
def open_sort_and_gather(x, i):
    return jnp.argsort(x), jnp.sort(x)[i], x.at[i].add(1)


@program(wave(5), shapes=("b",))
def open_random(x):
    bits = jax.random.wrap_key_data(jnp.arange(4, dtype=jnp.uint32), impl="rbg")
    return x + jax.random.uniform(jax.random.key(3), x.shape), jax.random.bits(bits, x.shape)


@program(wave(7), shapes=("b + 2",))
def open_top_k(x):
    return lax.top_k(x, x.shape[0] - 2), lax.approx_max_k(x, x.shape[0] - 2)


@program(wave(3, 6), shapes=("b, 6",))
def open_approximate_top_k(x):
    return lax.approx_max_k(x, 2), lax.approx_min_k(x, 4)


def specification(arguments, shapes):
    scope = export.SymbolicScope()
    return [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), a.dtype)
            for a, s in zip(arguments, shapes)]


def main():
    for name, f, arguments, platform, shapes in PROGRAMS:
        types = specification(arguments, shapes) if shapes else arguments
        exported = export.export(jax.jit(f, keep_unused=True), platforms=[platform])(*types)
        text = str(exported.mlir_module()).replace(f'"{HERE}/', '"tests/interop/')
        (HERE / f"{name}.mlir").write_text(text)
        results = jax.tree.leaves(jax.jit(f)(*arguments))
        arrays = {f"in{i}": a for i, a in enumerate(arguments)}
        arrays |= {f"out{i}": np.asarray(r) for i, r in enumerate(results)}
        np.savez(HERE / f"{name}.npz", **arrays)
    print(len(PROGRAMS), "programs")


if __name__ == "__main__":
    main()
