"""The numbers in tests/test_batch_norm.c: the formulas by jax.numpy in f64, cotangents by jax.vjp."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
EPSILON = float(np.float32(1e-3))


def normalize(x, scale, offset, mean, variance, axis):
    shape = [1] * x.ndim
    shape[axis] = -1
    wide = [v.reshape(shape) for v in (scale, offset, mean, variance)]
    return (x - wide[2]) / jnp.sqrt(wide[3] + EPSILON) * wide[0] + wide[1]


def train(x, scale, offset, axis):
    axes = tuple(i for i in range(x.ndim) if i != axis)
    return normalize(x, scale, offset, x.mean(axes), x.var(axes), axis)


def show(name, *values):
    for v in values:
        print(f"  {name} {{" + ", ".join(repr(float(t)) for t in np.ravel(v)) + "}")


for axis, shape in ((0, (3, 2)), (1, (2, 3, 2)), (2, (2, 2, 3))):
    size, n = np.prod(shape), shape[axis]
    x = jnp.array((np.arange(size) * 7 % 11 - 4).reshape(shape), float)
    ybar = jnp.array((np.arange(size) * 5 % 7 - 3).reshape(shape), float)
    scale = jnp.array([1.5, -0.5, 2.0][:n])
    offset = jnp.array([0.25, 1.0, -2.0][:n])
    axes = tuple(i for i in range(x.ndim) if i != axis)
    y, vjp = jax.vjp(lambda *a: train(*a, axis), x, scale, offset)
    print(axis, shape)
    show("x", x)
    show("training", y, x.mean(axes), x.var(axes))
    show("ybar", ybar)
    show("grad", *vjp(ybar))
    show("inference", normalize(x, scale, offset, jnp.array([1.0, -2.0, 0.5][:n]),
                                jnp.array([4.0, 0.25, 1.0][:n]), axis))
