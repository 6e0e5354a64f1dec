"""Products and convolutions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from program import Program

from .drawing import bf16, f16, f32, f64, gradient, i32, i8, u8, value


def products() -> Iterator[Program]:
    for dtype in (f32, bf16, f64, f16):
        pair = lambda draw, d=dtype: (draw(2, 3, 4, dtype=d), draw(2, 4, 5, dtype=d))  # noqa: E731
        yield gradient(f"matmul_{dtype.name}", jnp.matmul, pair, x64=dtype == f64)
    for dtype in (i32, i8, u8):
        yield value(f"matmul_{dtype.name}", lambda x, y: (x @ y, jnp.dot(x, y, preferred_element_type=jnp.int32)),
                    lambda draw, d=dtype: (draw(3, 4, dtype=d, low=-9, high=9), draw(4, 5, dtype=d, low=-9, high=9)))
    yield gradient("dot_vectors", lambda x, y: (jnp.dot(x, y), jnp.outer(x, y), jnp.inner(x, y), jnp.vdot(x, y)), lambda draw: (draw(7), draw(7)))
    yield gradient("matvec", lambda m, v: (m @ v, v[:3] @ m), lambda draw: (draw(3, 7), draw(7)))
    yield gradient("preferred", lambda x, y: jnp.einsum("ij,jk->ik", x, y, preferred_element_type=jnp.float32),
                   lambda draw: (draw(4, 6, dtype=bf16), draw(6, 5, dtype=bf16)))
    yield gradient("highest", lambda x, y: jnp.dot(x, y, precision=lax.Precision.HIGHEST), lambda draw: (draw(4, 6), draw(6, 5)))
    for spec, shapes_ in {"bqhd,bkhd->bhqk": ((2, 3, 2, 4), (2, 5, 2, 4)), "ijk,kl->ijl": ((2, 3, 4), (4, 5)), "ij,ij->": ((3, 4), (3, 4)),
                          "ii->i": ((4, 4),), "ijk->kji": ((2, 3, 4),), "ab,bc,cd->ad": ((2, 3), (3, 4), (4, 2)), "bi,bj->bij": ((3, 2), (3, 4)),
                          "ijkl,jl->ik": ((2, 3, 2, 4), (3, 4))}.items():
        yield gradient(f"einsum_{spec.replace(',', '_').replace('->', '_to_')}", lambda *x, s=spec: jnp.einsum(s, *x),
                       lambda draw, s=shapes_: tuple(draw(*shape) for shape in s))
    yield gradient("tensordot", lambda x, y: (jnp.tensordot(x, y, axes=((1, 2), (0, 1))), jnp.tensordot(x[0, 0], y[0, 0], axes=0)),
                   lambda draw: (draw(2, 3, 4), draw(3, 4, 5)))
    yield gradient("dot_general_batched", lambda x, y: lax.dot_general(x, y, (((3,), (1,)), ((0, 2), (2, 0)))),
                   lambda draw: (draw(2, 3, 4, 5), draw(4, 5, 2, 6)))
    yield gradient("cross", jnp.cross, lambda draw: (draw(4, 3), draw(4, 3)))
    yield gradient("matrix_power", lambda x: jnp.linalg.matrix_power(x, 3), lambda draw: (draw(3, 3),))
    yield gradient("vander", lambda x: jnp.vander(x, 4), lambda draw: (draw(4),))
    yield gradient("attention", nn.dot_product_attention, lambda draw: (draw(2, 5, 2, 4), draw(2, 5, 2, 4), draw(2, 5, 2, 4)))
    yield gradient("attention_gqa", lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True),
                   lambda draw: (draw(2, 5, 4, 4, dtype=bf16), draw(2, 5, 2, 4, dtype=bf16), draw(2, 5, 2, 4, dtype=bf16)))
    yield gradient("attention_lengths", lambda q, k, v, n: nn.dot_product_attention(q, k, v, key_value_seq_lengths=n),
                   lambda draw: (draw(2, 5, 2, 4), draw(2, 5, 2, 4), draw(2, 5, 2, 4), np.array([3, 5], i32)))
    yield gradient("ragged_dot", lambda x, w, n: lax.ragged_dot(x, w, n), lambda draw: (draw(6, 3), draw(2, 3, 4), np.array([2, 4], i32)))
    yield gradient("rms_norm", lambda x, w: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * w, lambda draw: (draw(3, 8), draw(8)))
    yield gradient("rope", rope, lambda draw: (draw(2, 6, 2, 8),))
    yield gradient("mixture_of_experts", mixture_of_experts, lambda draw: (draw(10, 6), draw(6, 4), draw(4, 6, 6)))


def rope(x):
    angles = jnp.arange(x.shape[1])[:, None] * 10000 ** (-jnp.arange(0, x.shape[-1], 2) / x.shape[-1])
    even, odd = x[..., ::2], x[..., 1::2]
    c, s = jnp.cos(angles)[None, :, None], jnp.sin(angles)[None, :, None]
    return jnp.stack([even * c - odd * s, even * s + odd * c], -1).reshape(x.shape)


def mixture_of_experts(x, router, experts):
    weights, chosen = lax.top_k(nn.softmax(x @ router), 2)
    weights = weights / weights.sum(-1, keepdims=True)
    return jnp.einsum("tk,tki->ti", weights, jnp.einsum("ti,tkij->tkj", x, experts[chosen]))


def convolutions() -> Iterator[Program]:
    cases = {
        "1d": ((2, 8, 3), (3, 3, 4), "NWC", "WIO", {}), "nchw": ((2, 3, 6, 5), (4, 3, 3, 3), "NCHW", "OIHW", {}),
        "strides": ((2, 7, 6, 3), (3, 2, 3, 4), "NHWC", "HWIO", {"window_strides": (2, 3)}),
        "same": ((2, 7, 6, 3), (3, 3, 3, 4), "NHWC", "HWIO", {"padding": "SAME", "window_strides": (2, 2)}),
        "dilated": ((1, 9, 9, 2), (3, 3, 2, 3), "NHWC", "HWIO", {"rhs_dilation": (2, 3)}),
        "transposed": ((1, 4, 4, 2), (3, 3, 2, 3), "NHWC", "HWIO", {"lhs_dilation": (2, 2), "padding": ((1, 2), (2, 1))}),
        "depthwise": ((2, 6, 6, 4), (3, 3, 1, 8), "NHWC", "HWIO", {"feature_group_count": 4, "padding": "SAME"}),
        "groups": ((2, 6, 6, 4), (3, 3, 2, 6), "NHWC", "HWIO", {"feature_group_count": 2}),
        "batch_groups": ((4, 6, 6, 3), (3, 3, 3, 4), "NHWC", "HWIO", {"batch_group_count": 2}),
        "3d": ((1, 4, 5, 4, 2), (2, 3, 2, 2, 3), "NDHWC", "DHWIO", {"padding": "SAME"}),
        "crop": ((1, 6, 6, 2), (3, 3, 2, 3), "NHWC", "HWIO", {"padding": ((-1, 0), (0, -1))}),
    }
    for name, (x, kernel, layout, kernel_layout, options) in cases.items():
        options = {"window_strides": (1,) * (len(x) - 2), "padding": "VALID", **options}
        function = partial(lax.conv_general_dilated, dimension_numbers=(layout, kernel_layout, layout), **options)
        for dtype in (f32, bf16) if name in ("nchw", "depthwise") else (f32,):
            yield gradient(f"conv_{name}_{dtype.name}", function, lambda draw, a=x, k=kernel, d=dtype: (draw(*a, dtype=d), draw(*k, dtype=d)))
    yield gradient("conv_transpose", lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
                   lambda draw: (draw(1, 4, 4, 2), draw(3, 3, 2, 3)))
    for name, function in {
        "max_pool": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        "max_pool_overlap": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
        "min_pool": lambda x: lax.reduce_window(x, jnp.inf, lax.min, (1, 2, 2, 1), (1, 1, 1, 1), "VALID"),
        "average_pool": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 2, 1), (1, 2, 2, 1), "SAME") / 6,
        "dilated_window": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", window_dilation=(1, 2, 2, 1)),
        "base_dilated_window": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 2, 1)),
        "patches": lambda x: lax.conv_general_dilated_patches(x, (2, 2), (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    }.items():
        yield gradient(name, function, lambda draw: (draw.permutation(2, 6, 6, 3) / f32.type(10),))
    yield gradient("max_pool_bf16", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"), lambda draw: (draw.permutation(6, 6, dtype=bf16),))
    yield value("max_pool_int", lambda x: lax.reduce_window(x, -128, lax.max, (2, 2), (1, 1), "SAME"), lambda draw: (draw(6, 6, dtype=i32, low=-9, high=9),))
    yield value("reduce_window_custom", lambda x: lax.reduce_window(x, 1.0, lambda a, b: a * b + 0.0, (2, 2), (2, 2), "VALID"), lambda draw: (draw(6, 6),))
    yield gradient("batch_norm", lambda x, g, b: nn.standardize(x, axis=(0, 1, 2)) * g + b, lambda draw: (draw(2, 3, 3, 4), draw(4), draw(4)))
