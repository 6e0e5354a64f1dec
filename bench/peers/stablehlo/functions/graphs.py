"""Graph algorithms, sorting, searching."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.experimental import sparse
from program import Program

from .drawing import bf16, f16, f32, f64, gradient, i16, i32, i64, i8, u32, u8, value


def graphs() -> Iterator[Program]:
    edges = lambda draw: (draw(6, 3), draw(12, dtype=i32, low=0, high=5), draw(12, dtype=i32, low=0, high=5))  # noqa: E731
    yield gradient("message_passing", lambda x, s, r: jax.ops.segment_sum(jnp.tanh(x[s] - x[r]), r, 6), edges)
    yield gradient("graph_attention", lambda x, s, r: (lambda e: (lambda w: jax.ops.segment_sum(w[:, None] * x[s], r, 6))(e / (jax.ops.segment_sum(e, r, 6)[r] + 1e-6)))(jnp.exp(jnp.sum(x[s] * x[r], -1) - jax.ops.segment_max(jnp.sum(x[s] * x[r], -1), r, 6)[r])), edges)
    yield value("segment_all", lambda x, s, r: (jax.ops.segment_min(x[s], r, 6), jax.ops.segment_prod(x[s], r, 6)), edges)
    yield value("segment_sorted", lambda x, i: jax.ops.segment_sum(x, jnp.sort(i), 4, indices_are_sorted=True), lambda draw: (draw(9), draw(9, dtype=i32, low=0, high=3)))
    for dtype in (i32, bf16, f16):
        yield value(f"segment_{dtype.name}", lambda x, i: (jax.ops.segment_sum(x, i, 4), jax.ops.segment_max(x, i, 4), jax.ops.segment_min(x, i, 4)), lambda draw, d=dtype: (draw(9, 2, dtype=d), draw(9, dtype=i32, low=0, high=3)))
    yield value("pagerank", lambda s, r: lax.fori_loop(0, 10, lambda i, p: 0.15 / 6 + 0.85 * jax.ops.segment_sum(p[s] / (jnp.bincount(s, length=6)[s] + 0.0), r, 6), jnp.ones(6) / 6), lambda draw: edges(draw)[1:])
    yield value("bellman_ford", lambda s, r, w: lax.while_loop(lambda c: c[1], lambda c: (lambda n: (n, jnp.any(n < c[0])))(c[0].at[r].min(c[0][s] + w)), (jnp.full(6, jnp.inf).at[0].set(0.0), True))[0], lambda draw: (*edges(draw)[1:], draw(12, low=0.1, high=2)))
    yield value("floyd_warshall", lambda d: lax.fori_loop(0, 6, lambda k, d: jnp.minimum(d, d[:, k, None] + d[None, k]), d), lambda draw: (draw(6, 6, low=0.1, high=3),))
    yield value("components", lambda s, r: lax.while_loop(lambda c: c[1], lambda c: (lambda n: (n, jnp.any(n != c[0])))(c[0].at[r].min(c[0][s]).at[s].min(c[0][r])), (jnp.arange(6), True))[0], lambda draw: edges(draw)[1:])
    yield value("kmeans", lambda x, c: lax.fori_loop(0, 4, lambda i, c: (lambda a: jax.ops.segment_sum(x, a, 3) / jnp.maximum(jnp.bincount(a, length=3), 1)[:, None])(jnp.argmin(jnp.sum((x[:, None] - c) ** 2, -1), 1)), c), lambda draw: (draw(20, 2), draw(3, 2)))
    yield gradient("sparse_bcoo", lambda d, i, v: sparse.BCOO((d, jnp.sort(i, 0)), shape=(4, 5)) @ v, lambda draw: (draw(6), draw(6, 2, dtype=i32, low=0, high=3), draw(5, 2)))
    yield value("sparse_todense", lambda d, i: (sparse.BCOO((d, i), shape=(4, 5)).todense(), sparse.BCOO((d, i), shape=(4, 5)).sum_duplicates(nse=6).todense()), lambda draw: (draw(6), draw(6, 2, dtype=i32, low=0, high=3)))
    yield value("sparse_fromdense", lambda x: sparse.BCOO.fromdense(x * (x > 0), nse=20).T @ jnp.ones(4), lambda draw: (draw(4, 5),))
    yield gradient("csr_spmv", lambda d, c, v: jax.ops.segment_sum(d * v[c], jnp.repeat(jnp.arange(4), jnp.array([2, 3, 0, 4]), total_repeat_length=9), 4), lambda draw: (draw(9), draw(9, dtype=i32, low=0, high=5), draw(6)))
    yield value("union_find_vmap", jax.vmap(lambda p, i: lax.while_loop(lambda i: p[i] != i, lambda i: p[i], i), (None, 0)), lambda draw: (np.array([0, 0, 1, 2, 4, 4], i32), np.arange(6, dtype=i32)))
    yield value("scatter_nd", lambda x, i, u: lax.scatter_add(x, i, u, lax.ScatterDimensionNumbers((1,), (0,), (0,)), mode=lax.GatherScatterMode.CLIP), lambda draw: (draw(5, 4), draw(3, 1, dtype=i32, low=-2, high=7), draw(3, 4)))
    yield gradient("gather_windows", lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 3), mode="clip"), lambda draw: (draw(5, 6), draw(4, 2, dtype=i32, low=-2, high=6)))


def orders() -> Iterator[Program]:
    yield value("odd_even_sort", lambda x: lax.fori_loop(0, 8, lambda i, x: (lambda y: jnp.where(jnp.arange(8) % 2 == i % 2, jnp.minimum(x, jnp.roll(x, -1).at[7].set(jnp.inf)), jnp.maximum(x, jnp.roll(x, 1).at[0].set(-jnp.inf))))(x), x), lambda draw: (draw.permutation(8),))
    for dtype in (u8, i8, i16, u32, i32, f16, bf16, f32, bool):
        yield value(f"sort_stable_{np.dtype(dtype).name}", lambda x: (jnp.sort(x, axis=0), jnp.argsort(x, axis=0, stable=True), lax.sort((x, jnp.arange(x.size).reshape(x.shape)), dimension=1, num_keys=1, is_stable=True)), lambda draw, d=dtype: (draw(7, 5, dtype=d, low=0, high=4) if d != bool else draw(7, 5, dtype=bool),))
    yield value("sort_special", lambda x: (jnp.sort(x), jnp.argsort(x), jnp.sort(x, descending=True), lax.top_k(x, 4)), lambda draw: (np.array([0.0, -0.0, np.nan, 1, -1, np.inf, -np.inf, np.nan, 2], f32),))
    yield value("sort_x64", lambda x, k: (jnp.sort(x), lax.sort((k, x), num_keys=2)), lambda draw: (draw(9, dtype=f64), draw(9, dtype=i64, low=0, high=2)), x64=True)
    yield value("sort_four", lambda a, b, c, d: lax.sort((a, b, c, d), num_keys=3), lambda draw: (draw(12, dtype=i32, low=0, high=1), draw(12, dtype=u8, low=0, high=1), draw(12, dtype=bool), draw(12)))
    yield gradient("sort_gradient_pairs", lambda k, v: lax.sort((k, v), num_keys=1)[1], lambda draw: (draw.permutation(8), draw(8)))
    yield gradient("soft_sort", lambda x: nn.softmax(-jnp.abs(jnp.sort(x)[:, None] - x[None]) / 0.5, -1) @ x, lambda draw: (draw(6),))
    yield value("set_operations", lambda a, b: (jnp.union1d(a, b, size=8, fill_value=-1), jnp.intersect1d(a, b, size=4, fill_value=-1), jnp.isin(a, b), jnp.setdiff1d(a, b, size=4, fill_value=-1)), lambda draw: (draw(6, dtype=i32, low=0, high=5), draw(5, dtype=i32, low=0, high=5)))
    yield value("histograms", lambda x, w: (jnp.histogram2d(x[0], x[1], bins=3, range=((-2, 2), (-2, 2)))[0], jnp.bincount(jnp.abs(x[0]).astype(int), weights=w, length=3), jnp.histogram(x[0], bins=jnp.array([-2.0, -0.5, 0.1, 2.0]), weights=w)[0]), lambda draw: (draw(2, 12), draw(12)))
    yield value("run_length", lambda x: (lambda s: jax.ops.segment_sum(jnp.ones_like(x), jnp.cumsum(s) - 1, 8))(jnp.concatenate([jnp.array([True]), x[1:] != x[:-1]])), lambda draw: (draw(14, dtype=i32, low=0, high=1),))
    yield value("levenshtein", lambda a, b: lax.scan(lambda row, c: (lambda m: (lambda n: (n, n[-1]))(lax.associative_scan(jnp.minimum, m - jnp.arange(7)) + jnp.arange(7)))(jnp.minimum(row + 1, jnp.concatenate([row[:1] + 1, row[:-1] + (b != c)]))), jnp.arange(7), a), lambda draw: (draw(5, dtype=i32, low=0, high=2), draw(6, dtype=i32, low=0, high=2)))
    yield value("knapsack", lambda w, v: lax.fori_loop(0, 5, lambda i, d: jnp.maximum(d, jnp.where(jnp.arange(12) >= w[i], d[(jnp.arange(12) - w[i])] + v[i], 0)), jnp.zeros(12)), lambda draw: (draw(5, dtype=i32, low=1, high=5), draw(5, low=0, high=3)))
    yield value("sieve", lambda: lax.fori_loop(2, 8, lambda i, s: jnp.where((jnp.arange(50) % i == 0) & (jnp.arange(50) > i), False, s), jnp.ones(50, bool)), lambda draw: ())
    yield value("collatz", jax.vmap(lambda n: lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1]), lambda draw: (draw(6, dtype=i32, low=1, high=30),))
    yield value("gcd_while", lambda a, b: lax.while_loop(lambda s: jnp.any(s[1] != 0), lambda s: (jnp.where(s[1] != 0, s[1], s[0]), jnp.where(s[1] != 0, s[0] % jnp.maximum(s[1], 1), 0)), (a, b))[0], lambda draw: (draw(6, dtype=i32, low=1, high=90), draw(6, dtype=i32, low=1, high=90)))
    yield value("reservoir", lambda x, k: lax.fori_loop(3, 9, lambda i, r: (lambda j: jnp.where(j < 3, r.at[j].set(x[i], mode="drop"), r))(jax.random.randint(jax.random.fold_in(jax.random.wrap_key_data(k), i), (), 0, i + 1)), x[:3]), lambda draw: (draw(9), draw.key()))
    yield value("binary_search", lambda a, v: lax.fori_loop(0, 4, lambda i, s: (lambda m: (jnp.where(a[m] < v, m + 1, s[0]), jnp.where(a[m] < v, s[1], m)))((s[0] + s[1]) // 2), (jnp.zeros(4, int), jnp.full(4, 9)))[0], lambda draw: (np.sort(draw(9)), draw(4)))
    yield value("queue", lambda adj: lax.while_loop(lambda s: s[1] < s[2], lambda s: (lambda node: (lambda new: (s[0].at[jnp.where(new, s[2] + jnp.cumsum(new) - 1, 99)].set(jnp.arange(6), mode="drop"), s[1] + 1, s[2] + new.sum(), s[3] | new))(adj[node] & ~s[3]))(s[0][s[1]]), (jnp.zeros(6, int), 0, 1, jnp.arange(6) == 0))[0], lambda draw: (draw(6, 6, dtype=bool),))
    yield value("quickselect_masks", lambda x: lax.reduce((x, jnp.arange(9)), (jnp.float32(jnp.inf), 99), lambda a, b: (lambda m: (jnp.where(m, a[0], b[0]), jnp.where(m, a[1], b[1])))((a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))), (0,)), lambda draw: (draw(9),))
