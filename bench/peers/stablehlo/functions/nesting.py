"""Nested transformations and regions."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from program import Program

from .drawing import bf16, f16, f32, gradient, i32, i8, u8, value


def batches() -> Iterator[Program]:
    yield gradient("vmap_cond_gradient", jax.vmap(lambda p, x: lax.cond(p > 0, lambda x: jnp.sin(x) * x, lambda x: x**3, x)), lambda draw: (draw(5), draw(5)))
    yield value("vmap_while_state", jax.vmap(lambda x, n: lax.while_loop(lambda s: (s[0] < n) & (jnp.abs(s[1]) < 10).all(), lambda s: (s[0] + 1, s[1] * 1.5 - 0.1), (0, x))), lambda draw: (draw(4, 3), draw(4, dtype=i32, low=0, high=6)))
    yield value("vmap_while_gather", jax.vmap(lambda x, i: lax.while_loop(lambda s: s[1] < 4, lambda s: (s[0].at[s[1]].add(x[s[0].astype(int).sum() % 5]), s[1] + 1), (jnp.zeros(5), i))), lambda draw: (draw(4, 5), draw(4, dtype=i32, low=0, high=3)))
    yield value("vmap_switch", jax.vmap(lambda i, x: lax.switch(i, [lambda x: jnp.sort(x), lambda x: x[::-1], lambda x: jnp.cumsum(x)], x)), lambda draw: (draw(5, dtype=i32, low=-1, high=3), draw(5, 4)))
    yield gradient("vmap_gather_scatter", jax.vmap(jax.vmap(lambda x, i, u: x.at[i].set(u)[i[::-1]], (0, 0, None)), (0, 0, 0)), lambda draw: (draw(2, 3, 5), np.stack([draw.generator.permutation(5)[:3] for _ in range(6)]).reshape(2, 3, 3).astype(i32), draw(2, 3)))
    yield gradient("vmap_scatter_add", jax.vmap(lambda x, i, u: x.at[i].add(u, mode="drop"), (None, 0, 0), 1), lambda draw: (draw(5), draw(3, 4, dtype=i32, low=-2, high=7), draw(3, 4)))
    yield gradient("vmap_update_slice", jax.vmap(lambda x, u, i, j: lax.dynamic_update_slice(x, u, (i, j))), lambda draw: (draw(3, 4, 5), draw(3, 2, 2), draw(3, dtype=i32, low=-1, high=4), draw(3, dtype=i32, low=0, high=4)))
    yield value("vmap_sort_topk", jax.vmap(lambda x: (lax.top_k(x, 2), jnp.argsort(x), jnp.searchsorted(jnp.sort(x), x)), 1), lambda draw: (draw.permutation(6, 3),))
    yield gradient("vmap_scan_inner_cond", jax.vmap(lambda x: lax.scan(lambda c, v: (lax.cond(v > c, lambda: v, lambda: c * 0.9), c), 0.0, x)), lambda draw: (draw(3, 6),))
    yield gradient("vmap_fft", jax.vmap(lambda x: jnp.abs(jnp.fft.fft(x)) ** 2, 1, 1), lambda draw: (draw(8, 3),))
    yield gradient("map_batched", lambda x: lax.map(lambda r: jnp.outer(r, r), x, batch_size=2), lambda draw: (draw(5, 3),))
    yield gradient("jacfwd_scan", lambda x: jax.jacfwd(lambda x: lax.scan(lambda c, v: (jnp.sin(c + v), c), x[0], x)[0])(x), lambda draw: (draw(4),))
    yield gradient("linearize", lambda x, v: (lambda y, f: (y, f(v)))(*jax.linearize(lambda x: jnp.exp(jnp.sin(x)) @ x, x)), lambda draw: (draw(4), draw(4)))
    yield gradient("checkpoint_policy", jax.checkpoint(lambda x, w: jnp.sin(jnp.tanh(x @ w) @ w), policy=jax.checkpoint_policies.dots_saveable), lambda draw: (draw(3, 4), draw(4, 4)))
    yield gradient("ragged_product", lambda x, w, g: lax.ragged_dot(x, w, g), lambda draw: (draw(7, 3), draw(3, 3, 4), np.array([2, 0, 5], i32)))
    for left, right, out in ((i8, i8, jnp.int32), (bf16, bf16, jnp.float32), (u8, i8, jnp.int32), (f16, f16, jnp.float32), (bf16, f32, jnp.float32)):
        yield value(f"dot_{left.name}_{right.name}", lambda a, b, o=out: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=o), lambda draw, l=left, r=right: (draw(3, 4, dtype=l), draw(4, 5, dtype=r)))
    yield gradient("views_in_products", lambda a, b: (jnp.einsum("bij,bjk->bik", a[::-1, ::-1], b[:, ::-1]), jnp.einsum("bij,bjk->bik", jnp.broadcast_to(a[:1], a.shape), b[::-1]), jnp.einsum("bji,kbj->ik", a[:, 1::2], jnp.transpose(b, (2, 0, 1))[:, :, ::2]), jnp.tensordot(a[::-1], b, ((0, 1), (0, 1))), jnp.pad(a, ((0, 0), (1, 0), (0, 0)))[::-1] @ b),
                   lambda draw: (draw(3, 4, 4), draw(3, 4, 4)))
    yield gradient("chess_attention", lambda q, k, v: nn.dot_product_attention(q, k[:, ::-1], v[:, ::-1], is_causal=True), lambda draw: (draw(2, 5, 2, 4), draw(2, 5, 2, 4), draw(2, 5, 2, 4)))


def regions() -> Iterator[Program]:
    two = lambda draw: (np.int32(1), draw(4, 5))  # noqa: E731
    inside = {
        "sort": lambda x: jnp.sort(x), "argsort_descending": lambda x: jnp.argsort(x, descending=True).astype(x.dtype), "reduce": lambda x: lax.reduce(x, jnp.float32(1), lambda a, b: a * b + jnp.float32(0.5) * a * 0, (0,))[None] * jnp.ones((4, 1)),
        "reduce_custom": lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: jnp.where(jnp.abs(a) > 0.25 * jnp.abs(b), a, b), (0,))[None] * jnp.ones((4, 1)), "reduce_window": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"),
        "scatter": lambda x: x.at[jnp.array([0, 2])].add(1.0), "scatter_mul": lambda x: x.at[jnp.array([0, 2])].multiply(0.5),
        "scatter_apply": lambda x: x.at[jnp.array([0, 2])].apply(lambda v: v * 0.5 + 1.0), "argmax": lambda x: x * jnp.argmax(x, 1)[:, None], "cumsum": lambda x: jnp.cumsum(x, 1), "top_k": lambda x: x * lax.top_k(x, 1)[0], "median": lambda x: x - jnp.median(x, 0), "nansum": lambda x: x + jnp.nansum(x, 0),
        "select_and_scatter": lambda x: jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 1), "SAME") ** 2))(x), "lexsort": lambda x: x[:, jnp.lexsort((x[0], x[1]))], "unique": lambda x: x * jnp.unique(x, size=5)[None], "sort_nan": lambda x: jnp.sort(jnp.where(x > 1, jnp.nan, x)),
    }
    for name, function in inside.items():
        yield value(f"{name}_in_cond", lambda p, x, f=function: lax.cond(p > 0, f, lambda x: x, x), two)
        yield value(f"{name}_in_switch", lambda p, x, f=function: lax.switch(p, [lambda x: x, f, lambda x: f(x) * 2], x), two)
        yield value(f"{name}_in_while", lambda p, x, f=function: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, f(s[1]) * 0.5), (p, x)), two)
        yield value(f"{name}_in_scan_cond", lambda p, x, f=function: lax.scan(lambda c, i: (lax.cond(i % 2 == 0, f, lambda x: x * 0.5, c), c.sum()), x, jnp.arange(3)), two)
    yield value("predicates_in_while", lambda p, x: lax.while_loop(lambda s: lax.reduce(s, jnp.float32(0), lambda a, b: jnp.maximum(jnp.abs(a), jnp.abs(b)), (0, 1)) > 0.5, lambda s: s * 0.7, x), two)
    yield value("reduce_promoted_bf16", lambda x: lax.reduce(x, jnp.bfloat16(0), lambda a, b: (a.astype(jnp.float32) + b.astype(jnp.float32)).astype(jnp.bfloat16), (1,)), lambda draw: (draw(4, 9, dtype=bf16),))
