"""Exports a training step of a decoder with sdy shardings over eight devices, in several layouts, and compiles it with XLA.

Writes LAYOUT.mlir, the program as JAX exports it, and LAYOUT.hlo, the program of every device as XLA's CPU compiler makes it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

LAYOUTS = ("data", "zero1", "fsdp", "tensor")
SIZES = {"bench": {"layers": 4, "width": 128, "hidden": 512, "words": 1024, "batch": 64, "context": 32},
         "tiny": {"layers": 2, "width": 16, "hidden": 32, "words": 64, "batch": 8, "context": 8}}
HEADS = 8


def parameters(size):
    width, hidden = size["width"], size["hidden"]
    square = jnp.zeros((width, width))
    layer = {"query": square, "key": square, "value": square, "out": square, "up": jnp.zeros((width, hidden)),
             "down": jnp.zeros((hidden, width)), "norm1": jnp.ones(width), "norm2": jnp.ones(width)}
    return {"words": jnp.zeros((size["words"], width)), "positions": jnp.zeros((size["context"], width)),
            "layers": [dict(layer) for _ in range(size["layers"])]}


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def attention(x, layer):
    batch, context, width = x.shape
    query, key, value = ((x @ layer[name]).reshape(batch, context, HEADS, width // HEADS) for name in ("query", "key", "value"))
    scores = jnp.einsum("bthd,bshd->bhts", query, key) / np.sqrt(width // HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((context, context), bool)), scores, -1e9)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, -1), value).reshape(x.shape) @ layer["out"]


def loss(params, tokens):
    x = params["words"][tokens] + params["positions"]
    for layer in params["layers"]:
        x = x + attention(norm(x, layer["norm1"]), layer)
        x = x + jax.nn.gelu(norm(x, layer["norm2"]) @ layer["up"]) @ layer["down"]
    logs = jax.nn.log_softmax((x @ params["words"].T)[:, :-1], -1)
    return -jnp.mean(jnp.take_along_axis(logs, tokens[:, 1:, None], -1))


def step(params, first, second, tokens):
    """Adam without bias correction; the moments may be random numbers."""
    value, gradient = jax.value_and_grad(loss)(params, tokens)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradient)
    params = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(jnp.maximum(v, 0)) + 1e-8), params, first, second)
    return params, first, second, value


def shardings(layout, params):
    """Returns the shardings of the parameters, of each moment and of the tokens."""
    axis = "model" if layout == "tensor" else "data"
    mesh = Mesh(np.array(jax.devices()), (axis,))
    named = lambda *spec: NamedSharding(mesh, PartitionSpec(*spec))
    whole = jax.tree.map(lambda x: named(), params)
    if layout == "tensor":
        columns, rows = named(None, axis), named(axis, None)
        split = {"query": columns, "key": columns, "value": columns, "up": columns, "out": rows, "down": rows}
        tensor = whole | {"layers": [layer | split for layer in whole["layers"]]}
        return tensor, tensor, named()
    split = jax.tree.map(lambda x: named(axis, *[None] * (x.ndim - 1)), params)
    return (split if layout == "fsdp" else whole), (whole if layout == "data" else split), named(axis, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="bench")
    parser.add_argument("--output", type=Path, required=True)
    flags = parser.parse_args()
    size = SIZES[flags.size]
    params = parameters(size)
    tokens = jnp.zeros((size["batch"], size["context"]), jnp.int32)
    for layout in LAYOUTS:
        of_params, of_moments, of_tokens = shardings(layout, params)
        program = jax.jit(step, in_shardings=(of_params, of_moments, of_moments, of_tokens),
                          out_shardings=(of_params, of_moments, of_moments, None)).lower(params, params, params, tokens)
        (flags.output / f"{layout}.mlir").write_text(program.as_text())
        (flags.output / f"{layout}.hlo").write_text(program.compile().as_text())


if __name__ == "__main__":
    main()
