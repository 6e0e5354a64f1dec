"""Reductions, scans, sorting, shapes and indexing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy.linalg import block_diag
from program import Program

from .drawing import Inputs, bf16, f16, f32, gradient, i32, i8, one, u32, u8, value


def reductions() -> Iterator[Program]:
    axis = {"axis": 1}
    for function in (jnp.sum, jnp.mean, jnp.prod, jnp.max, jnp.min, jnp.var, jnp.std, jnp.ptp, nn.logsumexp, jnp.median,
                     jnp.linalg.norm, jnp.cumsum, jnp.cumprod, nn.softmax, nn.log_softmax, nn.standardize, nn.glu,
                     lax.cummax, lax.cummin, lax.cumlogsumexp, jnp.diff, jnp.sort, jnp.nanmean, jnp.nansum, jnp.nanmax, jnp.flip,
                     jnp.gradient, jnp.trapezoid):
        for dtype in (f32, bf16):
            yield gradient(f"{function.__name__}_{dtype.name}", lambda x, f=function: f(x, **axis),
                           lambda draw, d=dtype: (draw.permutation(3, 8, 2, dtype=d) / d.type(16),))
    for function in (jnp.argmax, jnp.argmin, jnp.argsort, jnp.count_nonzero, jnp.any, jnp.all, jnp.cumsum, jnp.prod, jnp.max, jnp.sum,
                     jnp.min, jnp.sort):
        yield value(f"{function.__name__}_int", lambda x, f=function: (f(x, axis=0), f(x, axis=-1)),
                    lambda draw: (draw(5, 6, dtype=i32, low=-3, high=3),))
        yield value(f"{function.__name__}_uint8", lambda x, f=function: f(x, axis=0),
                    lambda draw: (draw(5, 6, dtype=u8, low=0, high=3),))
    yield value("argmax_nan", lambda x: (jnp.argmax(x), jnp.nanargmax(x), jnp.nanargmin(x), jnp.argmin(x)),
                lambda draw: (np.where(draw(9) > 1, np.nan, draw(9)).astype(f32),))
    yield value("reduce_custom", lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: jnp.maximum(jnp.abs(a), jnp.abs(b)), (0,)), one)
    yield value("reduce_pair", lambda x, i: lax.reduce((x, i), (jnp.float32(-jnp.inf), jnp.int32(0)),
                lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)),
                lambda draw: (draw.permutation(4, 6), draw(4, 6, dtype=i32)))
    yield value("reduce_and", lambda x: (lax.reduce_and(x, (0,)), lax.reduce_or(x, (1,)), lax.reduce_xor(x, (0, 1))),
                lambda draw: (draw(4, 6, dtype=i32, low=0, high=255),))
    yield value("associative_scan", lambda x: lax.associative_scan(jnp.add, x), lambda draw: (draw(13, 2),))
    yield gradient("associative_scan_linear", lambda a, b: lax.associative_scan(
        lambda left, right: (left[0] * right[0], right[0] * left[1] + right[1]), (a, b)), lambda draw: (draw(9, 3), draw(9, 3)))
    yield value("sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), lambda draw: (draw(6, 5, dtype=i32, low=0, high=2), draw(6, 5)))
    yield value("sort_two_keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2, dimension=0),
                lambda draw: (draw(9, dtype=i32, low=0, high=2), draw(9), draw(9, dtype=u8)))
    yield value("lexsort", lambda a, b: jnp.lexsort((a, b)), lambda draw: (draw(9, dtype=i32), draw(9, dtype=i32)))
    yield value("sort_descending", lambda x: (jnp.sort(x, descending=True), jnp.argsort(x, descending=True)), lambda draw: (draw(4, 7),))
    for dtype in (f32, bf16, i32):
        yield value(f"top_k_{dtype.name}", lambda x: lax.top_k(x, 3), lambda draw, d=dtype: (draw.permutation(4, 9, dtype=d),))
    yield gradient("top_k_gradient", lambda x: lax.top_k(x, 2)[0], lambda draw: (draw.permutation(4, 9),))
    yield value("top_k_axis", lambda x: lax.top_k(x, 2, axis=0), lambda draw: (draw.permutation(5, 4),))
    yield value("approx_max_k", lambda x: lax.approx_max_k(x, 3), lambda draw: (draw.permutation(2, 40),))
    yield value("searchsorted", lambda a, v: (jnp.searchsorted(a, v), jnp.searchsorted(a, v, side="right", method="compare_all"),
                                              jnp.searchsorted(a, v, method="sort")),
                lambda draw: (np.sort(draw(9)), draw(4, 2)))
    yield value("histogram", lambda x: jnp.histogram(x, bins=5, range=(-2, 2)), lambda draw: (draw(30),))
    yield value("bincount", lambda x: jnp.bincount(x, length=7), lambda draw: (draw(30, dtype=i32, low=0, high=6),))
    yield value("unique", lambda x: jnp.unique(x, size=6, fill_value=-1, return_inverse=True, return_counts=True),
                lambda draw: (draw(12, dtype=i32, low=0, high=4),))
    yield value("digitize", lambda x, b: jnp.digitize(x, b), lambda draw: (draw(12), np.sort(draw(5))))
    yield value("quantile", lambda x: (jnp.quantile(x, 0.3, axis=0), jnp.percentile(x, 75)), lambda draw: (draw(9, 3),))
    yield value("nonzero", lambda x: jnp.nonzero(x, size=6, fill_value=-1), lambda draw: (draw(3, 4, dtype=i32, low=0, high=1),))
    yield value("partition", lambda x: (jnp.partition(x, 3), jnp.argpartition(x, 2)), lambda draw: (draw.permutation(9),))
    yield gradient("interp", lambda x, xp, fp: jnp.interp(x, xp, fp), lambda draw: (draw(6), np.sort(draw(5)), draw(5)))
    yield gradient("cov", lambda x: (jnp.cov(x), jnp.corrcoef(x)), lambda draw: (draw(3, 9),))
    yield gradient("average", lambda x, w: jnp.average(x, 0, w), lambda draw: (draw(5, 3), draw(5, low=0.1, high=1)))
    yield gradient("convolve", lambda x, k: (jnp.convolve(x, k), jnp.correlate(x, k, mode="valid"), jnp.convolve(x, k, mode="same")),
                   lambda draw: (draw(9), draw(3)))
    for name, function in (("segment_sum", jax.ops.segment_sum), ("segment_max", jax.ops.segment_max), ("segment_prod", jax.ops.segment_prod)):
        yield value(name, lambda x, i, f=function: f(x, i, num_segments=5), lambda draw: (draw(9, 2), draw(9, dtype=i32, low=0, high=4)))
    yield gradient("segment_sum_gradient", lambda x, i: jax.ops.segment_sum(x, i, num_segments=4) ** 2,
                   lambda draw: (draw(9, 2), draw(9, dtype=i32, low=0, high=3)))
    yield value("empty", lambda x: (jnp.sum(x), jnp.sum(x, 0), x * 2, jnp.concatenate([x, jnp.ones((2, 3))])), lambda draw: (draw(0, 3),))


# ---- shapes and indexing


def shapes() -> Iterator[Program]:
    for name, function in {
        "reshape": lambda x: x.reshape(4, -1) * 2, "transpose": lambda x: x.transpose(2, 0, 1), "moveaxis": lambda x: jnp.moveaxis(x, 0, -1),
        "squeeze": lambda x: jnp.squeeze(x[None, :, :1]), "expand_dims": lambda x: jnp.expand_dims(x, (0, 2)),
        "tile": lambda x: jnp.tile(x, (2, 1, 3)), "repeat": lambda x: jnp.repeat(x, 3, axis=1), "roll": lambda x: jnp.roll(x, 3, axis=1),
        "roll_all": lambda x: jnp.roll(x, -2), "flip": lambda x: jnp.flip(x, (0, 2)), "rot90": jnp.rot90, "stack": lambda x: jnp.stack([x, x * 2], 1),
        "split": lambda x: jnp.split(x, 2, axis=2), "concatenate": lambda x: jnp.concatenate([x, x[:, :2], -x], 1),
        "pad_constant": lambda x: jnp.pad(x, ((1, 2), (0, 0), (0, 3)), constant_values=7), "pad_edge": lambda x: jnp.pad(x, 1, mode="edge"),
        "pad_reflect": lambda x: jnp.pad(x, ((0, 0), (2, 1), (1, 2)), mode="reflect"), "pad_wrap": lambda x: jnp.pad(x, 1, mode="wrap"),
        "pad_symmetric": lambda x: jnp.pad(x, 2, mode="symmetric"), "lax_pad": lambda x: lax.pad(x, 0.5, ((1, -1, 1), (0, 2, 0), (-1, 0, 2))),
        "slices": lambda x: (x[1], x[:, 1:3], x[..., ::2], x[:, ::-1], x[0, :, None, 1]), "tril": lambda x: (jnp.tril(x), jnp.triu(x, 1)),
        "diagonal": lambda x: (jnp.diagonal(x, axis1=1, axis2=2), jnp.trace(x, axis1=0, axis2=1)), "ravel": lambda x: x.ravel(),
        "swapaxes": lambda x: x.swapaxes(0, 2), "broadcast_to": lambda x: jnp.broadcast_to(x[:, :1], (2, 5, 4)), "hsplit": lambda x: jnp.hsplit(x, 3),
        "slice_in_dim": lambda x: lax.slice_in_dim(x, 0, 3, 2, axis=1), "kron": lambda x: jnp.kron(x[0], x[1, :2]),
        "block_diag": lambda x: block_diag(x[0], x[1]), "meshgrid": lambda x: jnp.meshgrid(x[0, :, 0], x[0, 0]),
        "unstack": lambda x: jnp.unstack(x, axis=1), "delete": lambda x: jnp.delete(x, 1, axis=1), "insert": lambda x: jnp.insert(x, 1, 5.0, axis=1),
    }.items():
        yield gradient(f"{name}", function, lambda draw: (draw(2, 3, 4),))
    for dtype in (i8, bool, bf16, u32):
        yield value(f"shape_ops_{np.dtype(dtype).name}", lambda x: (jnp.concatenate([x, x[::-1]]), jnp.pad(x, 1), x.T, jnp.repeat(x, 2, 0)),
                    lambda draw, d=dtype: (draw(3, 4, dtype=d, low=0, high=5),))
    yield value("creation", lambda: (jnp.arange(5), jnp.arange(1, 2, 0.25), jnp.linspace(0, 1, 7), jnp.eye(3, 4, 1), jnp.logspace(0, 1, 4),
                                     jnp.full((2, 3), 7), jnp.identity(3), jnp.tri(3), jnp.indices((2, 3)), jnp.geomspace(1, 8, 4)), lambda draw: ())
    yield value("windows", lambda: (jnp.hanning(7), jnp.hamming(5), jnp.blackman(6), jnp.bartlett(5), jnp.kaiser(5, 4.0)), lambda draw: ())
    yield value("large_constant", lambda x: x + jnp.asarray(np.random.default_rng(0).normal(size=(20, 30)).astype(f32)), lambda draw: (draw(30),))
    for dtype in (bf16, i8, bool, u32, f16):
        constant = np.random.default_rng(0).integers(0, 2, (11, 13)).astype(dtype)
        yield value(f"large_constant_{np.dtype(dtype).name}", lambda x, c=constant: jnp.where(c != 0, x, 0), lambda draw: (draw(13),))
    yield value("constant_edges", lambda x: x + jnp.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.4e38], f32), lambda draw: (draw(6),))
    yield value("large_integers", lambda x: x + jnp.array([2**31 - 1, -(2**31), 0], i32), lambda draw: (draw(3, dtype=i32),))
    yield value("one_hot", lambda i: (nn.one_hot(i, 5), nn.one_hot(i, 5, dtype=jnp.bfloat16, axis=0), nn.one_hot(i, 3)),
                lambda draw: (draw(4, 2, dtype=i32, low=-1, high=5),))


def indexing() -> Iterator[Program]:
    index = partial(Inputs.__call__, dtype=i32, low=0, high=4)
    yield gradient("take", lambda x, i: jnp.take(x, i, axis=0), lambda draw: (draw(5, 3), index(draw, 4, 2)))
    yield gradient("take_axis1", lambda x, i: jnp.take(x, i, axis=1), lambda draw: (draw(2, 5, 3), index(draw, 4)))
    for mode in ("clip", "wrap", "fill"):
        yield gradient(f"take_{mode}", lambda x, i, m=mode: jnp.take(x, i, axis=0, mode=m),
                       lambda draw: (draw(5, 3), draw(6, dtype=i32, low=-7, high=8)))
    yield gradient("fancy", lambda x, i, j: (x[i, j], x[i, :, j], x[:, i], x[..., i], x[i][:, j]),
                   lambda draw: (draw(5, 5, 5), index(draw, 4), index(draw, 4)))
    yield gradient("fancy_negative", lambda x, i: x[i - 5, 1], lambda draw: (draw(5, 3), index(draw, 4)))
    yield value("fancy_types", lambda x, i: (x[i.astype(jnp.uint8)], x[i.astype(jnp.int8)]), lambda draw: (draw(5, 3), index(draw, 4)))
    yield gradient("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, axis=1), lambda draw: (draw(3, 5), index(draw, 3, 2)))
    yield gradient("take_along_last", lambda x, i: jnp.take_along_axis(x, i[..., None], axis=-1), lambda draw: (draw(2, 3, 5), index(draw, 2, 3)))
    yield value("boolean_mask", lambda x, m: jnp.where(m, 0, x).sum(0, where=m), lambda draw: (draw(4, 3), draw(4, 3, dtype=bool)))
    for method in ("set", "add", "multiply", "min", "max", "divide", "power", "subtract"):
        yield value(f"at_{method}", lambda x, i, u, m=method: getattr(x.at[i], m)(u),
                    lambda draw: (draw(5, 3, low=1, high=3), draw.generator.permutation(5)[:4].astype(i32), draw(4, 3, low=1, high=2)))
    for method in ("set", "add", "multiply"):
        yield gradient(f"at_{method}_gradient", lambda x, i, u, m=method: getattr(x.at[i], m)(u, unique_indices=True),
                       lambda draw: (draw(5, 3, low=1, high=3), draw.generator.permutation(5)[:4].astype(i32), draw(4, 3, low=1, high=2)))
    yield gradient("at_add_repeated", lambda x, i, u: x.at[i].add(u), lambda draw: (draw(5, 3), index(draw, 9), draw(9, 3)))
    yield gradient("at_add_bf16", lambda x, i, u: x.at[i].add(u), lambda draw: (draw(5, dtype=bf16), index(draw, 3), draw(3, dtype=bf16)))
    yield gradient("at_slice", lambda x, u: x.at[1:3, ::2].set(u).at[:, 0].add(1.0), lambda draw: (draw(4, 5), draw(2, 3)))
    yield gradient("at_out_of_bounds", lambda x, i, u: (x.at[i].set(u, mode="drop"), x.at[i].add(u, mode="clip")),
                   lambda draw: (draw(5, 3), np.array([1, 7, 3, -9], i32), draw(4, 3)))
    yield gradient("at_two", lambda x, i, j, u: x.at[i, j].add(u), lambda draw: (draw(5, 5), index(draw, 6), index(draw, 6), draw(6)))
    yield value("at_int", lambda x, i, u: (x.at[i].add(u), x.at[i].max(u)), lambda draw: (draw(5, dtype=i32), index(draw, 9), draw(9, dtype=i32)))
    yield value("at_apply", lambda x, i: x.at[i].apply(jnp.sin), lambda draw: (draw(5), np.array([0, 3], i32)))
    yield gradient("at_get_fill", lambda x, i: x.at[i].get(mode="fill", fill_value=-1.0), lambda draw: (draw(5), np.array([0, 9, -9, 4], i32)))
    yield gradient("dynamic_slice", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)),
                   lambda draw: (draw(5, 6), np.int32(2), np.int32(9)))
    yield gradient("dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)),
                   lambda draw: (draw(5, 6), draw(2, 3), np.int32(4)))
    yield gradient("dynamic_index", lambda x, i: (lax.dynamic_index_in_dim(x, i, 1), x[i], lax.dynamic_update_index_in_dim(x, x[0], i, 0)),
                   lambda draw: (draw(4, 4), np.int32(-1)))
    yield gradient("vmap_dynamic_slice", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))),
                   lambda draw: (draw(4, 5), index(draw, 4)))
    yield gradient("vmap_take", jax.vmap(lambda x, i: x[i]), lambda draw: (draw(4, 5, 2), index(draw, 4, 3)))
    yield gradient("vmap_update", jax.vmap(lambda x, i, u: x.at[i].add(u)), lambda draw: (draw(4, 5), index(draw, 4), draw(4)))
    yield gradient("embedding", lambda table, tokens: table[tokens].sum(1), lambda draw: (draw(11, 4), draw(3, 5, dtype=i32, low=0, high=10)))
    yield gradient("embedding_bf16", lambda table, tokens: table[tokens], lambda draw: (draw(11, 4, dtype=bf16), draw(3, 5, dtype=i32, low=0, high=10)))
    yield gradient("choose", lambda i, x, y: jnp.choose(i, [x, y], mode="clip"), lambda draw: (draw(6, dtype=i32, low=0, high=1), draw(6), draw(6)))
    yield value("fill_diagonal", lambda x: jnp.fill_diagonal(x, 7.0, inplace=False), lambda draw: (draw(4, 4),))
    yield value("compress", lambda x, m: jnp.compress(m, x, axis=0, size=3), lambda draw: (draw(5, 2), draw(5, dtype=bool)))
    yield gradient("map_coordinates", lambda x, y: jax.scipy.ndimage.map_coordinates(x, [y, y * 0.5], order=1), lambda draw: (draw(5, 5), draw(6, low=0, high=4)))
    for method in ("nearest", "bilinear", "bicubic", "lanczos3"):
        yield gradient(f"resize_{method}", lambda x, m=method: jax.image.resize(x, (2, 7, 3, 1), m), lambda draw: (draw(2, 4, 5, 1),))
