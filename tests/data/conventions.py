#!/usr/bin/env python3
"""Checks the column of JAX in tests/conventions.def by running JAX: prints every row that differs.

usage: conventions.py     (needs jax 0.10 and numpy)
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import derivatives  # noqa: E402

jax.config.update("jax_enable_x64", True)

where = jnp.where
PLACE = jnp.zeros((2, 1), int)
ELEMENTS = lax.ScatterDimensionNumbers((), (0,), (0,))


def pairs(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), "VALID")


def solve(x, unit):
    return lax.linalg.triangular_solve(x.reshape(2, 2), jnp.array([[2.0], [9.0]]), left_side=True, lower=True,
                                       unit_diagonal=unit)


OF = {
    "maximum_tie": lambda x: lax.max(x[0], x[1]),
    "minimum_tie": lambda x: lax.min(x[0], x[1]),
    "maximum_self": lambda x: lax.max(x[0], x[0]),
    "maximum_zero": lambda x: jnp.maximum(x[0], 0),
    "clamp_low": lambda x: lax.clamp(x[0], x[1], x[2]),
    "clamp_high": lambda x: lax.clamp(x[0], x[1], x[2]),
    "clamp_both": lambda x: lax.clamp(x[0], x[1], x[2]),
    "clip_low": lambda x: jnp.clip(x[0], 0, 1),
    "reduce_max_tie": jnp.max,
    "reduce_min_tie": jnp.min,
    "reduce_max_two": jnp.max,
    "window_tie": pairs,
    "cumulative_tie": lax.cummax,
    "sort_tie": jnp.sort,
    "top_k_tie": lambda x: lax.top_k(x, 1)[0],
    "scatter_max_tie": lambda x: lax.scatter_max(x[:1], PLACE, x[1:], ELEMENTS),
    "scatter_min_tie": lambda x: lax.scatter_min(x[:1], PLACE, x[1:], ELEMENTS),
    "argmax_slope": lambda x: jnp.argmax(x).astype(float),
    "abs_zero": lambda x: jnp.abs(x[0]),
    "abs_minus_zero": lambda x: jnp.abs(x[0]),
    "sign_zero": lambda x: jnp.sign(x[0]),
    "relu_zero": lambda x: jax.nn.relu(x[0]),
    "sqrt_square": lambda x: jnp.sqrt(x[0] * x[0]),
    "norm_zero": jnp.linalg.norm,
    "hypot_zero": lambda x: jnp.hypot(x[0], x[1]),
    "std_equal": jnp.std,
    "floor_step": lambda x: jnp.floor(x[0]),
    "remainder_jump": lambda x: lax.rem(x[0], x[1]),
    "mod_jump": lambda x: jnp.mod(x[0], x[1]),
    "power_zero_zero": lambda x: x[0] ** x[1],
    "power_exponent_zero": lambda x: x[0] ** 0,
    "power_zero_one": lambda x: x[0] ** x[1],
    "power_zero_two": lambda x: x[0] ** x[1],
    "power_zero_half": lambda x: x[0] ** x[1],
    "power_negative_base": lambda x: x[0] ** x[1],
    "atan2_origin": lambda x: jnp.arctan2(x[0], x[1]),
    "sqrt_zero": lambda x: jnp.sqrt(x[0]),
    "cbrt_zero": lambda x: jnp.cbrt(x[0]),
    "rsqrt_zero": lambda x: lax.rsqrt(x[0]),
    "log_zero": lambda x: jnp.log(x[0]),
    "log_minus_zero": lambda x: jnp.log(x[0]),
    "log1p_end": lambda x: jnp.log1p(x[0]),
    "divide_zero": lambda x: x[0] / x[1],
    "asin_end": lambda x: jnp.arcsin(x[0]),
    "acos_end": lambda x: jnp.arccos(x[0]),
    "acosh_end": lambda x: jnp.arccosh(x[0]),
    "atanh_end": lambda x: jnp.arctanh(x[0]),
    "erf_inv_end": lambda x: special.erfinv(x[0]),
    "digamma_pole": lambda x: special.digamma(x[0]),
    "lgamma_pole": lambda x: special.gammaln(x[0]),
    "select_nan": lambda x: where(x[0] > 0, x[0], jnp.nan),
    "guard_sqrt": lambda x: where(x[0] > 0, jnp.sqrt(x[0]), 0),
    "guard_log": lambda x: where(x[0] > 0, jnp.log(x[0]), 0),
    "guard_divide": lambda x: where(x[0] != 0, 1 / x[0], 0),
    "guard_sinc": lambda x: where(x[0] != 0, jnp.sin(x[0]) / x[0], 1),
    "guard_exp": lambda x: where(x[0] < 100, jnp.exp(x[0]), 0),
    "guard_double": lambda x: where(x[0] > 0, jnp.sqrt(where(x[0] > 0, x[0], 1)), 0),
    "sigmoid_written": lambda x: 1 / (1 + jnp.exp(-x[0])),
    "sigmoid_extreme": lambda x: jax.nn.sigmoid(x[0]),
    "softplus_extreme": lambda x: jax.nn.softplus(x[0]),
    "logsumexp_infinite": special.logsumexp,
    "logsumexp_nothing": special.logsumexp,
    "softmax_masked": jax.nn.softmax,
    "maximum_nan": lambda x: lax.max(x[0], x[1]),
    "reduce_max_nan": jnp.max,
    "reciprocal_infinite": lambda x: 1 / x[0],
    "exp_infinite": lambda x: jnp.exp(x[0]),
    "masked_infinite": lambda x: 0 * x[0],
    "zero_times_sqrt": lambda x: 0 * jnp.sqrt(x[0]),
    "product_one_zero": jnp.prod,
    "product_two_zeros": jnp.prod,
    "cumprod_zero": jnp.cumprod,
    "multiply_infinite": lambda x: x[0] * x[1],
    "slice_beyond": lambda x: lax.dynamic_slice(x, (7,), (1,)),
    "slice_below": lambda x: lax.dynamic_slice(x, (jnp.int32(-7),), (1,)),
    "gather_beyond": lambda x: jnp.take(x, 7, mode="clip"),
    "update_beyond": lambda x: lax.dynamic_update_slice(x[:2], x[2:], (7,)),
    "scatter_beyond": lambda x: x[:2].at[7].add(x[2]),
    "scatter_twice": lambda x: lax.scatter(x[:1], PLACE, x[1:], ELEMENTS),
    "scatter_add_twice": lambda x: lax.scatter_add(x[:1], PLACE, x[1:], ELEMENTS),
    "through_integer": lambda x: x.astype(jnp.int32).astype(float),
    "through_bool": lambda x: (x > 0).astype(float),
    "stopped": lambda x: lax.stop_gradient(x) * x,
    "solve_triangle": lambda x: solve(x, False),
    "solve_unit": lambda x: solve(x, True),
    "cholesky_triangle": lambda x: jnp.linalg.cholesky(x.reshape(2, 2)),
    "sum_of_nothing": lambda x: x + jnp.sum(x[:0]),
    "max_of_nothing": lambda x: jnp.maximum(x, jnp.max(x[:0], initial=-jnp.inf)),
    "product_of_nothing": lambda x: x * jnp.prod(x[:0]),
}
COMPLEX_OF = {
    "holomorphic": lambda z: z * z,
    "conjugated": jnp.conj,
    "real_part": jnp.real,
    "imaginary_part": jnp.imag,
    "modulus": jnp.abs,
    "modulus_zero": jnp.abs,
    "sign_of_zero": jnp.sign,
    "modulus_squared": lambda z: jnp.abs(z) ** 2,
}


def value(item):
    return eval(item, {"INFINITY": np.inf, "NAN": np.nan})


def words(matrix):
    """As the column has it: rows behind ";"."""
    return "; ".join(", ".join("NaN" if np.isnan(v) else f"{v:.12g}" for v in row) for row in np.atleast_2d(matrix))


def slope(name, at, expected):
    x = jnp.array([value(item) for item in at], float)
    expected = np.array([value(item) for item in expected], float).reshape(-1, len(at))
    try:
        reverse, forward = (np.asarray(d(OF[name])(x)).reshape(-1, len(at)) for d in (jax.jacrev, jax.jacfwd))
    except (NotImplementedError, TypeError, ValueError):
        return "not available"
    if np.array_equal(reverse, forward, equal_nan=True):
        return "same" if np.allclose(reverse, expected, 1e-14, 0, equal_nan=True) else words(reverse)
    return f"reverse {words(reverse)}, forward {words(forward)}"


def complex_cotangent(name, z, ybar, expected):
    z, ybar, expected = (complex(*[value(item) for item in pair]) for pair in (z, ybar, expected))
    y, pull = jax.vjp(COMPLEX_OF[name], jnp.asarray(z))
    zbar = complex(pull(jnp.asarray(ybar if jnp.iscomplexobj(y) else ybar.real, y.dtype))[0])
    return "same" if np.isclose(zbar, expected, 1e-14, 1e-15) else "NaN" if np.isnan(zbar) else str(zbar)


def main():
    for kind, a in derivatives.calls((ROOT / "tests/conventions.def").read_text()):
        if kind == "SLOPE" and a[0] in OF:
            found, stated = slope(a[0], derivatives.numbers(a[2]), derivatives.numbers(a[3])), a[4]
        elif kind == "COMPLEX":
            found, stated = complex_cotangent(a[0], *[derivatives.numbers(c) for c in a[2:5]]), a[5]
        else:
            continue
        if found != stated:
            print(f"{a[0]}: stated {stated}, found {found}")


main()
