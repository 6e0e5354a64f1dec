"""Images: resampling, all kinds of convolutions, pooling."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import ndimage, signal
from program import Program

from .drawing import bf16, c64, f16, f32, gradient, i32, i8, value


def pictures() -> Iterator[Program]:
    im = lambda draw: (draw(2, 7, 9, 3),)  # noqa: E731
    for method in ("nearest", "bilinear", "bicubic", "lanczos3"):
        yield gradient(f"resize_picture_{method}", lambda x, m=method: (jax.image.resize(x, (2, 4, 12, 3), m), jax.image.resize(x, (2, 14, 5, 3), m, antialias=False)), im)
    yield gradient("scale_and_translate", lambda x, s: jax.image.scale_and_translate(x, (2, 5, 6, 3), (1, 2), s, jnp.array([0.3, -0.2]), "linear"), lambda draw: (draw(2, 7, 9, 3), draw(2, low=0.5, high=1.5)))
    for mode in ("constant", "nearest", "wrap", "reflect"):
        yield gradient(f"map_coordinates_{mode}", lambda x, c, m=mode: ndimage.map_coordinates(x, [c[0], c[1]], 1, mode=m), lambda draw: (draw(6, 7), draw(2, 9, low=-3, high=9)))
    for name, kwargs, shapes in (
        ("lhs_dilation", {"window_strides": (1, 1), "padding": ((2, 1), (0, 3)), "lhs_dilation": (2, 3)}, ((2, 3, 5, 6), (4, 3, 3, 2))),
        ("rhs_dilation", {"window_strides": (2, 1), "padding": "SAME", "rhs_dilation": (2, 2)}, ((2, 3, 9, 8), (4, 3, 3, 2))),
        ("both_dilations", {"window_strides": (2, 3), "padding": ((3, 2), (-1, 4)), "lhs_dilation": (3, 2), "rhs_dilation": (1, 2)}, ((1, 2, 5, 6), (3, 2, 2, 3))),
        ("groups", {"window_strides": (1, 2), "padding": "VALID", "feature_group_count": 2}, ((2, 4, 6, 7), (6, 2, 3, 3))),
        ("depthwise", {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 4, "rhs_dilation": (1, 2)}, ((2, 4, 6, 7), (8, 1, 3, 3))),
        ("batch_groups", {"window_strides": (1, 1), "padding": "SAME", "batch_group_count": 2}, ((4, 3, 5, 5), (4, 3, 3, 3))),
        ("one_d", {"window_strides": (2,), "padding": ((2, 1),), "dimension_numbers": ("NWC", "WIO", "NWC"), "lhs_dilation": (2,)}, ((2, 9, 3), (4, 3, 5))),
        ("three_d", {"window_strides": (1, 2, 1), "padding": "SAME", "dimension_numbers": ("NDHWC", "DHWIO", "NDHWC"), "feature_group_count": 2}, ((1, 4, 5, 4, 4), (2, 3, 2, 2, 4))),
        ("odd_layout", {"window_strides": (1, 1), "padding": ((1, 1), (2, 0)), "dimension_numbers": ("CWNH", "OHWI", "HNWC")}, ((3, 6, 2, 5), (4, 2, 3, 3))),
        ("zero_d", {"window_strides": (), "padding": ()}, ((4, 3), (5, 3))),
    ):
        for dtype in (f32, bf16) if name in ("groups", "lhs_dilation") else (f32,):
            yield gradient(f"conv_picture_{name}_{dtype.name}", lambda x, k, o=kwargs: lax.conv_general_dilated(x, k, **o), lambda draw, s=shapes, d=dtype: (draw(*s[0], dtype=d), draw(*s[1], dtype=d)))
    yield gradient("conv_reversed", lambda x, k: (lax.conv(x[::-1, :, ::-1], k[:, ::-1], (1, 1), "SAME"), lax.conv(x[:, :, ::2, ::-1], k[..., ::-1, ::-1], (1, 1), "SAME"), lax.conv(jnp.swapaxes(x, 0, 1)[:, :1].repeat(3, 1), k, (1, 1), "VALID")), lambda draw: (draw(2, 3, 6, 5), draw(4, 3, 3, 2)))
    yield gradient("conv_picture_transpose", lambda x, k: (lax.conv_transpose(x, k, (2, 2), "SAME"), lax.conv_transpose(x, k, (3, 1), "VALID", transpose_kernel=False)), lambda draw: (draw(1, 4, 5, 3), draw(3, 2, 3, 4)))
    yield gradient("conv_vmap", jax.vmap(lambda x, k: lax.conv(x, k, (1, 1), "SAME")), lambda draw: (draw(3, 2, 2, 5, 5), draw(3, 4, 2, 3, 3)))
    yield gradient("picture_patches", lambda x: lax.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME"), lambda draw: (draw(2, 3, 5, 6),))
    yield gradient("conv_local", lambda x, k: lax.conv_general_dilated_local(x, k, (1, 1), "VALID", (2, 2)), lambda draw: (draw(1, 2, 4, 4), draw(3, 8, 3, 3)))
    for dtype in (i8, i32, f16):
        yield value(f"conv_{np.dtype(dtype).name}", lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", preferred_element_type=jnp.int32 if x.dtype == jnp.int8 else None), lambda draw, d=dtype: (draw(1, 2, 5, 5, dtype=d), draw(3, 2, 3, 3, dtype=d)))
    yield gradient("conv_c64", lambda x, k: lax.conv(x, k, (1, 1), "SAME"), lambda draw: (draw(1, 2, 4, 4, dtype=c64), draw(2, 2, 3, 3, dtype=c64)))
    for name, function in (("max_pool_relu", lambda x: nn.relu(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 3, 1), (1, 2, 1, 1), "SAME"))), ("avg_pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 2, 1), ((0, 0), (1, 2), (0, 1), (0, 0)))),
                           ("dilated_pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 1, 1), window_dilation=(1, 2, 3, 1)))):
        yield gradient(name, function, im)
    yield gradient("bilinear_sampler", lambda x, g: (lambda y0, x0: (lambda wy, wx: x[y0, x0] * (1 - wy) * (1 - wx) + x[y0, x0 + 1] * (1 - wy) * wx + x[y0 + 1, x0] * wy * (1 - wx) + x[y0 + 1, x0 + 1] * wy * wx)(g[0] - y0, g[1] - x0))(jnp.floor(g[0]).astype(int), jnp.floor(g[1]).astype(int)), lambda draw: (draw(6, 7), draw(2, 5, low=0, high=4)))
    yield value("median_filter", lambda x: jnp.median(jnp.stack([jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)]), 0), lambda draw: (draw(6, 6),))
    yield gradient("sobel_norm", lambda x: jnp.sqrt(signal.convolve2d(x, jnp.array([[1, 0, -1], [2, 0, -2], [1, 0, -1.0]])) ** 2 + 1), lambda draw: (draw(6, 6),))
    yield value("integral_image", lambda x: jnp.cumsum(jnp.cumsum(x, 0), 1)[2:, 2:] - jnp.cumsum(jnp.cumsum(x, 0), 1)[:-2, :-2], lambda draw: (draw(6, 6, dtype=i32),))
