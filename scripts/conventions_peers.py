#!/usr/bin/env python3
"""What JAX and PyTorch give for the rows of tests/conventions.def, found by running them in float64.

usage: conventions_peers.py [--check] [ROW...]

Prints `ROW: PEER WHAT` for each row (of those named, else of all) and each peer that is installed:
"same" as the row, a slope, "-" where the peer has no such function, "no gradient" where its result
has no derivative, "an error" with its message; "reverse ..., forward ..." where jax.vjp or
torch.autograd.grad and jax.jvp or torch.func.jvp differ. --check prints only where that is not what
the row's column says, up to a remark in parentheses at its end. Exit status: 0 when all agree, 1
when one differs, 77 (skipped) when neither peer is installed.
"""
import argparse
import cmath
import math
import os
import re
import sys
import warnings

import derivatives
from operations import ROOT

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.scipy import special
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None
try:
    import torch
except ImportError:
    torch = None


# ---- What several rows do.

def jax_scatter(scatter, x):
    """The others all written to x[0]."""
    elements = lax.ScatterDimensionNumbers((), (0,), (0,))
    return scatter(x[:1], jnp.zeros((len(x) - 1, 1), int), x[1:], elements)


def jax_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), "VALID")


def jax_solve(x, unit):
    b = jnp.array([[2.0], [9.0]])
    return lax.linalg.triangular_solve(x.reshape(2, 2), b, left_side=True, lower=True, unit_diagonal=unit)


def torch_places(place, count=1):
    return torch.full((count,), place)


def torch_pool(x):
    return torch.nn.functional.max_pool1d(x[None], 2, stride=1)[0]


def torch_solve(x, unit):
    b = torch.tensor([[2.0], [9.0]], dtype=x.dtype)
    return torch.linalg.solve_triangular(x.reshape(2, 2), b, upper=False, unitriangular=unit)


CLAMP = (lambda x: lax.clamp(*x), lambda x: torch.clamp(x[1], x[0], x[2]))
POWER = (lambda x: x[0] ** x[1], lambda x: x[0] ** x[1])
MAXIMUM = (lambda x: jnp.maximum(*x), lambda x: torch.maximum(*x))
MAXIMUM_ZERO = (lambda x: jnp.maximum(x, 0), lambda x: torch.maximum(x, torch.zeros_like(x)))
MAX = (lambda x: jnp.max(x), lambda x: torch.max(x))
CLIP = (lambda x: jnp.clip(x, 0, 1), lambda x: torch.clip(x, 0, 1))
RELU = (lambda x: jax.nn.relu(x), lambda x: torch.relu(x))
ABS = (lambda x: jnp.abs(x), lambda x: torch.abs(x))
SQRT_SQUARE = (lambda x: jnp.sqrt(x ** 2), lambda x: torch.sqrt(x ** 2))
NORM = (lambda x: jnp.linalg.norm(x), lambda x: torch.linalg.norm(x))
HYPOT = (lambda x: jnp.hypot(*x), lambda x: torch.hypot(*x))
SIGN = (lambda x: jnp.sign(x), lambda x: torch.sgn(x))
SQRT = (lambda x: jnp.sqrt(x), lambda x: torch.sqrt(x))
LOG = (lambda x: jnp.log(x), lambda x: torch.log(x))
LOGSUMEXP = (lambda x: special.logsumexp(x), lambda x: torch.logsumexp(x, 0))
PRODUCT = (lambda x: jnp.prod(x), lambda x: torch.prod(x))

# Of a scalar x.
MODULI = {
    "abs": ABS,
    "sign": (lambda x: x * jnp.sign(x), lambda x: x * torch.sign(x)),
    "maximum": (lambda x: jnp.maximum(x, -x), lambda x: torch.maximum(x, -x)),
    "where": (lambda x: jnp.where(x > 0, x, -x), lambda x: torch.where(x > 0, x, -x)),
    "norm_one": (lambda x: jnp.linalg.norm(x.reshape(1)), lambda x: torch.linalg.norm(x.reshape(1))),
    "norm_three": (lambda x: jnp.linalg.norm(jnp.pad(x.reshape(1), (0, 2))),
                   lambda x: torch.linalg.norm(torch.nn.functional.pad(x.reshape(1), (0, 2)))),
    "hypot": (lambda x: jnp.hypot(x, 0.0), lambda x: torch.hypot(x, torch.zeros_like(x))),
    "sqrt_product": (lambda x: jnp.sqrt(x * x), lambda x: torch.sqrt(x * x)),
    "sqrt_of_square": (lambda x: jnp.sqrt(jnp.square(x)), lambda x: torch.sqrt(torch.square(x))),
}

# The other rows: in JAX and in PyTorch, of a vector x or a complex number x; None: there is no such function.
PROGRAMS = {
    "maximum_tie": MAXIMUM,
    "minimum_tie": (lambda x: jnp.minimum(*x), lambda x: torch.minimum(*x)),
    "maximum_self": (lambda x: jnp.maximum(x, x), lambda x: torch.maximum(x, x)),
    "maximum_zero": MAXIMUM_ZERO,
    "clamp_low": CLAMP,
    "clamp_high": CLAMP,
    "clamp_both": CLAMP,
    "clip_low": CLIP,
    "reduce_max_tie": MAX,
    "reduce_min_tie": (lambda x: jnp.min(x), lambda x: torch.min(x)),
    "reduce_max_two": MAX,
    "window_tie": (lambda x: jax_pool(x), lambda x: torch_pool(x)),
    "pool_gradient_tie": (lambda x: jax.vjp(jax_pool, jnp.ones(2))[1](x)[0],
                          lambda x: torch.func.vjp(torch_pool, torch.ones(2, dtype=x.dtype))[1](x)[0]),
    "cumulative_tie": (lambda x: lax.cummax(x), lambda x: torch.cummax(x, 0).values),
    "sort_tie": (lambda x: jnp.sort(x), lambda x: torch.sort(x).values),
    "top_k_tie": (lambda x: lax.top_k(x, 1)[0], lambda x: torch.topk(x, 1).values),
    "scatter_max_tie": (lambda x: jax_scatter(lax.scatter_max, x),
                        lambda x: x[:1].scatter_reduce(0, torch_places(0, 2), x[1:], "amax")),
    "scatter_min_tie": (lambda x: jax_scatter(lax.scatter_min, x),
                        lambda x: x[:1].scatter_reduce(0, torch_places(0, 2), x[1:], "amin")),
    "argmax_slope": (lambda x: jnp.argmax(x).astype(float), lambda x: torch.argmax(x).double()),

    "abs_zero": ABS,
    "abs_minus_zero": ABS,
    "sign_zero": SIGN,
    "relu_zero": RELU,
    "sqrt_square": SQRT_SQUARE,
    "norm_zero": NORM,
    "hypot_zero": HYPOT,
    "std_equal": (lambda x: jnp.std(x), lambda x: torch.std(x, correction=0)),
    "floor_step": (lambda x: jnp.floor(x), lambda x: torch.floor(x)),
    "remainder_jump": (lambda x: lax.rem(*x), lambda x: torch.fmod(*x)),
    "mod_jump": (lambda x: jnp.mod(*x), lambda x: torch.remainder(*x)),
    "power_zero_zero": POWER,
    "power_exponent_zero": (lambda x: x ** 0, lambda x: x ** 0),
    "power_zero_one": POWER,
    "power_zero_two": POWER,
    "power_zero_half": POWER,
    "power_negative_base": POWER,
    "atan2_origin": (lambda x: jnp.arctan2(*x), lambda x: torch.atan2(*x)),

    "sqrt_zero": SQRT,
    "cbrt_zero": (lambda x: jnp.cbrt(x), None),
    "rsqrt_zero": (lambda x: lax.rsqrt(x), lambda x: torch.rsqrt(x)),
    "log_zero": LOG,
    "log_minus_zero": LOG,
    "log1p_end": (lambda x: jnp.log1p(x), lambda x: torch.log1p(x)),
    "divide_zero": (lambda x: x[0] / x[1], lambda x: x[0] / x[1]),
    "asin_end": (lambda x: jnp.arcsin(x), lambda x: torch.asin(x)),
    "acos_end": (lambda x: jnp.arccos(x), lambda x: torch.acos(x)),
    "acosh_end": (lambda x: jnp.arccosh(x), lambda x: torch.acosh(x)),
    "atanh_end": (lambda x: jnp.arctanh(x), lambda x: torch.atanh(x)),
    "erf_inv_end": (lambda x: special.erfinv(x), lambda x: torch.erfinv(x)),
    "digamma_pole": (lambda x: special.digamma(x), lambda x: torch.digamma(x)),
    "lgamma_pole": (lambda x: special.gammaln(x), lambda x: torch.lgamma(x)),

    "select_nan": (lambda x: jnp.where(x > 0, x, jnp.nan), lambda x: torch.where(x > 0, x, math.nan)),
    "guard_sqrt": (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0), lambda x: torch.where(x > 0, torch.sqrt(x), 0)),
    "guard_log": (lambda x: jnp.where(x > 0, jnp.log(x), 0), lambda x: torch.where(x > 0, torch.log(x), 0)),
    "guard_divide": (lambda x: jnp.where(x != 0, 1 / x, 0), lambda x: torch.where(x != 0, 1 / x, 0)),
    "guard_sinc": (lambda x: jnp.where(x != 0, jnp.sin(x) / x, 1), lambda x: torch.where(x != 0, torch.sin(x) / x, 1)),
    "guard_exp": (lambda x: jnp.where(x < 100, jnp.exp(x), 0), lambda x: torch.where(x < 100, torch.exp(x), 0)),
    "guard_double": (lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0),
                     lambda x: torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1)), 0)),
    "sigmoid_written": (lambda x: 1 / (1 + jnp.exp(-x)), lambda x: 1 / (1 + torch.exp(-x))),
    "sigmoid_extreme": (lambda x: jax.nn.sigmoid(x), lambda x: torch.sigmoid(x)),
    "softplus_extreme": (lambda x: jax.nn.softplus(x), lambda x: torch.nn.functional.softplus(x)),
    "logsumexp_infinite": LOGSUMEXP,
    "logsumexp_nothing": LOGSUMEXP,
    "softmax_masked": (lambda x: jax.nn.softmax(x), lambda x: torch.softmax(x, 0)),
    "maximum_nan": MAXIMUM,
    "reduce_max_nan": MAX,
    "maximum_zero_nan": MAXIMUM_ZERO,
    "clip_nan": CLIP,
    "relu_nan": RELU,
    "abs_infinite": ABS,
    "norm_infinite": NORM,
    "norm_infinite_one": NORM,
    "hypot_infinite": HYPOT,
    "sqrt_square_infinite": SQRT_SQUARE,
    "abs_nan": ABS,
    "norm_nan": NORM,
    "sqrt_square_nan": SQRT_SQUARE,
    "reciprocal_infinite": (lambda x: 1 / x, lambda x: 1 / x),
    "exp_infinite": (lambda x: jnp.exp(x), lambda x: torch.exp(x)),
    "masked_infinite": (lambda x: 0 * x, lambda x: 0 * x),
    "zero_times_sqrt": (lambda x: 0 * jnp.sqrt(x), lambda x: 0 * torch.sqrt(x)),

    "product_one_zero": PRODUCT,
    "product_two_zeros": PRODUCT,
    "cumprod_zero": (lambda x: jnp.cumprod(x), lambda x: torch.cumprod(x, 0)),
    "multiply_infinite": (lambda x: x[0] * x[1], lambda x: x[0] * x[1]),

    "slice_beyond": (lambda x: lax.dynamic_slice(x, (7,), (1,)), lambda x: torch.narrow(x, 0, 7, 1)),
    "slice_below": (lambda x: lax.dynamic_slice(x, (jnp.int32(-7),), (1,)), lambda x: torch.narrow(x, 0, -7, 1)),
    "gather_beyond": (lambda x: jnp.take(x, 7, mode="clip"), lambda x: torch.gather(x, 0, torch_places(7))),
    "update_beyond": (lambda x: lax.dynamic_update_slice(x[:2], x[2:], (7,)),
                      lambda x: x[:2].index_copy(0, torch_places(7), x[2:])),
    "scatter_beyond": (lambda x: x[:2].at[7].add(x[2]), lambda x: x[:2].index_add(0, torch_places(7), x[2:])),
    "scatter_twice": (lambda x: jax_scatter(lax.scatter, x), lambda x: x[:1].scatter(0, torch_places(0, 2), x[1:])),
    "scatter_add_twice": (lambda x: jax_scatter(lax.scatter_add, x),
                          lambda x: x[:1].scatter_add(0, torch_places(0, 2), x[1:])),

    "through_integer": (lambda x: x.astype(jnp.int32).astype(float), lambda x: x.int().double()),
    "through_bool": (lambda x: (x > 0).astype(float), lambda x: (x > 0).double()),
    "stopped": (lambda x: lax.stop_gradient(x) * x, lambda x: x.detach() * x),
    "by_integer": (lambda x: jax.grad(lambda x: x)(x[0]), lambda x: x),
    "by_order": (lambda x: lax.polygamma(x, jnp.ones_like(x)), lambda x: torch.polygamma(x, torch.ones_like(x))),
    "by_exponent": (lambda x: special.zeta(x, 1.0), lambda x: torch.special.zeta(x, 1.0)),

    "cholesky_triangle": (lambda x: jnp.linalg.cholesky(x.reshape(2, 2)),
                          lambda x: torch.linalg.cholesky(x.reshape(2, 2))),
    "solve_triangle": (lambda x: jax_solve(x, False), lambda x: torch_solve(x, False)),
    "solve_unit": (lambda x: jax_solve(x, True), lambda x: torch_solve(x, True)),

    "sum_of_nothing": (lambda x: x + jnp.sum(x[:0]), lambda x: x + torch.sum(x[:0])),
    "max_of_nothing": (lambda x: jnp.maximum(x, jnp.max(x[:0], initial=-jnp.inf)),
                       lambda x: torch.maximum(x, torch.max(x[:0]))),
    "product_of_nothing": (lambda x: x * jnp.prod(x[:0]), lambda x: x * torch.prod(x[:0])),

    "holomorphic": (lambda z: z * z, lambda z: z * z),
    "conjugated": (lambda z: jnp.conj(z), lambda z: torch.conj(z)),
    "real_part": (lambda z: jnp.real(z), lambda z: torch.real(z)),
    "imaginary_part": (lambda z: jnp.imag(z), lambda z: torch.imag(z)),
    "modulus": ABS,
    "modulus_zero": ABS,
    "sign_of_zero": SIGN,
    "sign_elsewhere": SIGN,
    "modulus_infinite": ABS,
    "modulus_squared": (lambda z: jnp.abs(z) ** 2, lambda z: torch.abs(z) ** 2),
}


# ---- The peers, and what they give for a row.

class Jax:
    """Re ybar dy = Re zbar dz."""
    name, place, column, conjugates = "JAX", 0, -3, False

    def array(self, numbers):
        return jnp.array(numbers)

    def reverse(self, f, x, ybar):
        return jax.vjp(f, x)[1](ybar)[0]

    def grad(self, f):
        return jax.grad(f)

    def forward(self, f, x, dx):
        return jax.jvp(f, (x,), (dx,))[1]


class Torch:
    """Its cotangents are conjugates: Re conj(ybar) dy = Re conj(zbar) dz."""
    name, place, column, conjugates = "PyTorch", 1, -2, True

    def array(self, numbers):
        return torch.tensor(numbers)

    def reverse(self, f, x, ybar):
        x = x.clone().requires_grad_()
        y = f(x)
        return torch.autograd.grad(y, x, ybar)[0] if y.requires_grad else None

    def grad(self, f):
        return torch.func.grad(f)

    def forward(self, f, x, dx):
        return torch.func.jvp(f, (x,), (dx,))[1]


def units(peer, like):
    """The unit vectors of an array's shape."""
    n = like.reshape(-1).shape[0]
    return [peer.array([float(i == k) for i in range(n)]).reshape(like.shape) for k in range(n)]


def flat(array):
    """The sum makes numbers of PyTorch's symbolic zeros."""
    return (array + 0).reshape(-1).tolist()


def reverse_slope(peer, f, at):
    """A row per result."""
    x = peer.array(at)
    rows = [peer.reverse(f, x, ybar) for ybar in units(peer, f(x))]
    return "no gradient" if rows[0] is None else [flat(row) for row in rows]


def forward_slope(peer, f, at):
    x = peer.array(at)
    columns = [flat(peer.forward(f, x, dx)) for dx in units(peer, x)]
    return [list(row) for row in zip(*columns)]


def reverse_cotangent(peer, f, z, ybar):
    z, ybar = peer.array(z), peer.array(ybar)
    zbar = peer.reverse(f, z, ybar if f(z).dtype == z.dtype else ybar.real)
    return [[zbar.item()]]


def forward_cotangent(peer, f, z, ybar):
    """From the parts of ybar dy for dz = 1 and dz = i."""
    ybar = ybar.conjugate() if peer.conjugates else ybar
    re, im = ((ybar * peer.forward(f, peer.array(z), peer.array(dz)).item()).real for dz in (1 + 0j, 1j))
    return [[complex(re, im if peer.conjugates else -im)]]


def twice(derivative):
    """Of a scalar function at several places: a row of slopes and one of second derivatives."""
    def rows(peer, f, at):
        slope = derivative(peer, f)
        return [[float(g(x)) for x in peer.array(at)] for g in (slope, derivative(peer, slope))]
    return rows


def reverse_of(peer, f):
    return peer.grad(f)


def forward_of(peer, f):
    return lambda x: peer.forward(f, x, peer.array(1.0))


def attempt(direction, *arguments):
    """A slope, or why there is none."""
    try:
        return direction(*arguments)
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        message = str(error).splitlines()[0]
        return f"an error ({re.sub('[()]', '', message)[:80]})"


# ---- As the columns say it.

def bare(text):
    """Without remarks in parentheses."""
    return re.sub(r" \([^)]*\)", "", text)


def agree(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and bare(a) == bare(b)
    pairs = list(zip(sum(a, []), sum(b, []), strict=True))
    return all(cmath.isclose(x, y, rel_tol=1e-14, abs_tol=1e-15) or cmath.isnan(x) and cmath.isnan(y) for x, y in pairs)


def word(number):
    if cmath.isnan(number):
        return "NaN"
    if isinstance(number, complex):
        return derivatives.complex_number([f"{number.real + 0:.12g}", f"{number.imag + 0:.12g}"])
    return f"{number + 0:.12g}"


def words(slope):
    return slope if isinstance(slope, str) else "; ".join(", ".join(map(word, row)) for row in slope)


def numbers(column):
    return [float(eval(item, {"INFINITY": math.inf, "NAN": math.nan})) for item in derivatives.numbers(column)]


def question(kind, a):
    """The two directions, their arguments, and what the row says (of one that is refused: nothing)."""
    if kind == "COMPLEX":
        z, ybar, zbar = (complex(*numbers(column)) for column in a[2:5])
        return (reverse_cotangent, forward_cotangent), (z, ybar), [[zbar]]
    if kind == "MODULUS":
        return (twice(reverse_of), twice(forward_of)), (numbers(derivatives.MODULUS_AT),), list(map(numbers, a[2:4]))
    if kind == "REFUSED":
        return (reverse_slope, forward_slope), ([2 if a[0] == "by_integer" else 2.0],), ""
    at, slopes = numbers(a[2]), numbers(a[3])
    rows = [slopes[i:i + len(at)] for i in range(0, len(slopes), len(at))]
    return (reverse_slope, forward_slope), (at,), rows


def found(peer, kind, a):
    f = (MODULI if kind == "MODULUS" else PROGRAMS)[a[0]][peer.place]
    if f is None:
        return "-"
    directions, arguments, stated = question(kind, a)
    reverse, forward = (attempt(direction, peer, f, *arguments) for direction in directions)
    if not agree(reverse, forward):
        return f"reverse {words(reverse)}, forward {words(forward)}"
    return "same" if agree(reverse, stated) else words(reverse)


def main(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("--check", action="store_true")
    options.add_argument("rows", nargs="*", metavar="ROW")
    options = options.parse_args(arguments)
    peers = [peer for peer, module in ((Jax(), jax), (Torch(), torch)) if module]
    if not peers:
        print("skipped: neither JAX nor PyTorch is installed")
        return 77
    if torch:
        torch.set_default_dtype(torch.float64)
        warnings.filterwarnings("ignore", message=".*torch.jit.script.*")  # its own, in torch.func.jvp
    print(", ".join(f"{peer.name} {module.__version__}" for peer, module in zip(peers, filter(None, (jax, torch)))))
    differ = 0
    for kind, a in derivatives.calls((ROOT / "tests/conventions.def").read_text()):
        if kind == "SECTION" or options.rows and a[0] not in options.rows:
            continue
        for peer in peers:
            what, stated = found(peer, kind, a), a[peer.column]
            if not options.check:
                print(f"{a[0]}: {peer.name} {what}")
            elif bare(what) != bare(stated):
                differ += 1
                print(f"{a[0]}: {peer.name} is stated as {stated}, found {what}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
