#!/usr/bin/env python3
"""Export the loss of a small network on the irises as iris_loss.mlir, beside this file. Needs jax."""

import pathlib

import jax
import jax.numpy as jnp


def loss(w1, w2, x, species):
    logits = jnp.tanh(x @ w1) @ w2
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), species[:, None], axis=1).mean()


f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
types = f32(4, 8), f32(8, 3), f32(150, 4), jax.ShapeDtypeStruct((150,), jnp.int32)
pathlib.Path(__file__).with_suffix(".mlir").write_text(jax.jit(loss).lower(*types).as_text())
