"""The workloads in JAX, as its users write them. prepare() makes one ready."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
if os.environ.get("BENCH_THREADS", "1") == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

VERSION = "jax " + jax.__version__


def chain(x):
    return jnp.tanh(x * 0.5) * jnp.exp(-x * x) + jnp.sqrt(x * x + 1.0) * jax.nn.sigmoid(x)


def cheap(x, y):
    return (x * y + 2.0 * x - y) * 0.5 + x * x


def layernorm(x, scale, offset):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * scale + offset


def cross_entropy(z, y):
    return (jax.nn.logsumexp(z, -1) - jnp.take_along_axis(z, y[..., None], -1)[..., 0]).mean()


def mlp(w1, b1, w2, b2, w3, b3, x, y):
    h = jnp.maximum(x @ w1 + b1, 0)
    h = jnp.maximum(h @ w2 + b2, 0)
    return cross_entropy(h @ w3 + b3, y)


def block(x, scale, offset, to_qkv, from_heads, to_hidden, from_hidden):
    b, t, d = x.shape
    heads = 4
    split = lambda a: a.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)
    q, k, v = map(split, jnp.split(layernorm(x, scale, offset) @ to_qkv, 3, axis=-1))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // heads).astype(np.float32)
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, -1e9)
    o = (jax.nn.softmax(s, -1) @ v).transpose(0, 2, 1, 3).reshape(b, t, d)
    x = x + o @ from_heads
    return x + jax.nn.gelu(layernorm(x, scale, offset) @ to_hidden) @ from_hidden


def transformer(table, *rest):
    *p, tokens, labels = rest
    x = table[tokens]
    for l in range(2):
        x = block(x, *p[6 * l:6 * l + 6])
    return cross_entropy(x @ table.T, labels)


def lotka(p):
    def field(u):
        return jnp.stack([p[0] * u[0] - p[1] * u[0] * u[1], -p[2] * u[1] + p[3] * u[0] * u[1]])

    def step(u, _):
        h = 0.01
        k1 = field(u)
        k2 = field(u + h / 2 * k1)
        k3 = field(u + h / 2 * k2)
        k4 = field(u + h * k3)
        return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return lax.scan(step, jnp.ones(2, p.dtype), None, length=1000)[0].sum()


def rosenbrock(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def unrolled(n):
    def f(x):
        for _ in range(n // 4):
            x = jnp.sin(x) * 1.01 - x * x * 1e-3
        return x.sum()

    return f


def shared(x):
    for _ in range(60 // 4):
        x = x * 1.0001 + 0.1 * x[::-1] - x * x * 1e-3
    return x.sum()


PROGRAMS = {
    "chain_4M": chain,
    "cheap_4M": cheap,
    "softmax_4096x1024": lambda x: jax.nn.softmax(x, axis=-1),
    "layernorm_4096x1024": layernorm,
    "logsumexp_4M": jax.nn.logsumexp,
    "sum_axis0_2048": lambda x: x.sum(0),
    "sum_axis1_2048": lambda x: x.sum(1),
    "max_axis0_2048": lambda x: x.max(0),
    # + 0.0: without it JAX may hand back its argument in another layout, unmoved
    "transpose_4096": lambda x: x.T + 0.0,
    "permute021_256": lambda x: x.transpose(0, 2, 1) + 0.0,
    "permute120_256": lambda x: x.transpose(1, 2, 0) + 0.0,
    "embedding_50kx64_262144": lambda table, i: table[i],
    "take_along_4096x1024": lambda x, i: jnp.take_along_axis(x, i, axis=1),
    "matmul_16": jnp.matmul,
    "matmul_64": jnp.matmul,
    "matmul_256": jnp.matmul,
    "matmul_1024": jnp.matmul,
    "matmul_512_tanh": lambda a, b: jnp.tanh(a @ b).sum(),
    "bmm_4096x8x8": jnp.matmul,
    "conv_32x16x32x32_k3_32": lambda x, w: lax.conv(x, w, (1, 1), "SAME"),
    "mlp_784_256_128_10_b128": mlp,
    "mlp_64_32_10_b32": mlp,
    "transformer_d64_l2_t64_b8": transformer,
    "lotka_rk4_1000": lotka,
    "lotka_rk4_1000_f64": lotka,
    "rosenbrock_1000": rosenbrock,
    "rosenbrock_1M": rosenbrock,
    "call_sumsq_4": lambda x: (x * x).sum(),
    "unrolled_100": unrolled(100),
    "unrolled_1000": unrolled(1000),
    "unrolled_4000": unrolled(4000),
    "unrolled_shared_60": shared,
}


def derived(f, mode, n_wrt):
    """f's value; value and gradient by its first n_wrt arguments; or their cotangents, given the result's as last."""
    if mode == "value":
        return lambda *a: f(*a)
    if mode == "grad":
        return jax.value_and_grad(lambda *a: f(*a).sum(), argnums=tuple(range(n_wrt)))
    return lambda *a: jax.vjp(lambda *x: f(*x, *a[n_wrt:-1]), *a[:n_wrt])[1](a[-1])


def arguments(arrays):
    jax.config.update("jax_enable_x64", any(a.dtype == np.float64 for a in arrays))
    return [jax.block_until_ready(jnp.asarray(a)) for a in arrays]


def prepare(name, mode, n_wrt, arguments):
    """A function without arguments that runs the workload and waits for it."""
    f = jax.jit(derived(PROGRAMS[name], mode, n_wrt))
    return lambda: jax.block_until_ready(f(*arguments))


def results(answer):
    return [np.asarray(a) for a in jax.tree.leaves(answer)]
