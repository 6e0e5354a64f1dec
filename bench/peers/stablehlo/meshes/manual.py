"""Programs whose communication is written: ring attention, collectives in shard_map, and sums that are declared unreduced."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec

from .case import Case, mesh_of


def normal(generator: np.random.Generator, *shape: int) -> np.ndarray:
    return generator.standard_normal(shape).astype(np.float32)


# ---- attention in which keys and values go round a ring of devices


def attention(query, key, value):
    scores = jnp.einsum("bthd,bshd->bhts", query, key) / np.sqrt(query.shape[-1])
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, -1), value)


def ring_attention(query, key, value, *, axis: str, devices: int, is_loop: bool):
    pairs = [(i, (i + 1) % devices) for i in range(devices)]

    def turn(state):
        key, value, largest, weights, sums = state
        scores = jnp.einsum("bthd,bshd->bhts", query, key) / np.sqrt(query.shape[-1])
        larger = jnp.maximum(largest, jnp.max(scores, -1))
        scale, part = jnp.exp(largest - larger), jnp.exp(scores - larger[..., None])
        weights = weights * scale + jnp.sum(part, -1)
        sums = sums * scale[..., None] + jnp.einsum("bhts,bshd->bhtd", part, value)
        key, value = (jax.lax.ppermute(x, axis, pairs) for x in (key, value))
        return key, value, larger, weights, sums

    batch, length, heads, width = query.shape
    rows = jnp.einsum("bthd->bht", query) * 0
    state = (key, value, rows - 1e30, rows, jnp.zeros((batch, heads, length, width)) + rows[..., None])
    if is_loop:
        state = jax.lax.scan(lambda state, _: (turn(state), None), state, length=devices)[0]
    else:
        for _ in range(devices):
            state = turn(state)
    *_, weights, sums = state
    return (sums / weights[..., None]).transpose(0, 2, 1, 3)


def ring_cases(size: str) -> Iterator[Case]:
    length, width = (16, 4) if size == "tiny" else (256, 32)
    generator = np.random.default_rng(20)
    inputs = tuple(normal(generator, 4, length, 4, width) for _ in range(3))
    for layout, axes, is_loop, has_gradient in (
            ("ring8", {"ring": 8}, False, False), ("ring8_scan", {"ring": 8}, True, False),
            ("ring8_gradient", {"ring": 8}, False, True), ("ring8_scan_gradient", {"ring": 8}, True, True),
            ("data2_ring4", {"data": 2, "ring": 4}, False, True), ("ring2_heads4", {"heads": 4, "ring": 2}, True, True)):
        mesh = mesh_of(axes)
        spec = PartitionSpec("data" if "data" in axes else None, "ring", "heads" if "heads" in axes else None)
        ring = jax.shard_map(partial(ring_attention, axis="ring", devices=axes["ring"], is_loop=is_loop), mesh=mesh,
                             in_specs=(spec,) * 3, out_specs=spec)

        def gradient(function, query, key, value):
            return jax.grad(lambda *x: jnp.sum(jnp.tanh(function(*x))), (0, 1, 2))(query, key, value)

        functions = [partial(gradient, f) if has_gradient else f for f in (ring, attention)]
        yield Case("ring_attention", layout, mesh, *functions, inputs, (spec,) * 3)


# ---- every collective, in shard_map; the reference runs the same function under vmap


def zoo(x, *, axes: tuple[str, ...], one: str, n: int):
    """Takes and returns what one device has: [n, 4] elements."""
    shifted = jax.lax.ppermute(x, one, [(i, (i + 1) % n) for i in range(n)])
    swapped = jax.lax.all_to_all(x, one, 0, 0, tiled=True)
    gathered = jax.lax.all_gather(x, one, tiled=True)
    scattered = jax.lax.psum_scatter(gathered * jnp.tanh(x[:1]), one, tiled=True)
    index = jax.lax.axis_index(one).astype(x.dtype)
    total = jax.lax.psum(x, axes) + jax.lax.pmax(x, one) - jax.lax.pmin(x, one) + jax.lax.pmean(x, one)
    return shifted + 2 * swapped + scattered + index * x + total


def zoo_cases(size: str) -> Iterator[Case]:
    columns = 4 if size == "tiny" else 4096
    generator = np.random.default_rng(21)
    for layout, axes, one in (("x8", {"x": 8}, "x"), ("x4_of_4x2", {"x": 4, "y": 2}, "x"), ("y2_of_4x2", {"x": 4, "y": 2}, "y"),
                              ("y4_of_2x4", {"x": 2, "y": 4}, "y"), ("y_of_2x2x2", {"x": 2, "y": 2, "z": 2}, "y"),
                              ("z_of_2x2x2", {"x": 2, "y": 2, "z": 2}, "z")):
        mesh, names = mesh_of(axes), tuple(axes)
        body = partial(zoo, axes=names, one=one, n=axes[one])
        spec = PartitionSpec(names)
        shape = (8 * axes[one], columns)

        def reference(x, body=body, axes=axes):
            shards = x.reshape(*axes.values(), -1, x.shape[-1])
            for name in reversed(axes):
                body = jax.vmap(body, axis_name=name)
            return body(shards).reshape(x.shape)

        yield Case("collectives", layout, mesh, jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec), reference,
                   (normal(generator, *shape),), (spec,))


# ---- types with sharding: sums that stay unreduced until the program says so


def unreduced_cases(size: str) -> Iterator[Case]:
    rows, inner = (16, 32) if size == "tiny" else (256, 1024)
    generator = np.random.default_rng(22)
    x, w, v = normal(generator, rows, inner), normal(generator, inner, rows), normal(generator, rows, rows)

    def of(mesh, final, axis, has_two):
        """Returns the function; without a mesh, that for one device."""
        held = PartitionSpec(unreduced={axis})

        def product(x, w):
            return jnp.einsum("ij,jk->ik", x, w, out_sharding=held) if mesh else x @ w

        def function(x, w, v):
            sums = product(x, w)
            if has_two:
                sums = sums + product(2 * x, w)
            whole = jax.reshard(sums, final) if mesh else sums
            return jnp.tanh(whole) + v

        return function

    for layout, axes, final, has_two in (
            ("replicated", {"x": 8}, PartitionSpec(None, None), False), ("rows", {"x": 8}, PartitionSpec("x", None), False),
            ("columns", {"x": 8}, PartitionSpec(None, "x"), False), ("two_sums", {"x": 8}, PartitionSpec(None, None), True),
            ("two_sums_rows", {"x": 8}, PartitionSpec("x", None), True), ("of_4x2", {"y": 2, "x": 4}, PartitionSpec("x", None), True)):
        mesh = mesh_of(axes, AxisType.Explicit)
        yield Case("unreduced", layout, mesh, of(mesh, final, "x", has_two), of(None, final, "x", has_two), (x, w, v),
                   (PartitionSpec(None, "x"), PartitionSpec("x", None), final))


def manual_cases(size: str) -> Iterator[Case]:
    yield from ring_cases(size)
    yield from zoo_cases(size)
    yield from unreduced_cases(size)
