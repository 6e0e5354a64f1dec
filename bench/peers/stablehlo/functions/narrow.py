"""Narrow dtypes and bit operations."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax, nn
from program import Program

from .drawing import bf16, f16, gradient, i32, i8, u32, u8, value


def narrow() -> Iterator[Program]:
    f8 = [getattr(ml_dtypes, n) for n in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e3m4", "float8_e4m3", "float8_e8m0fnu")]
    for t in f8:
        n = np.dtype(t).name
        yield value(f"round_{n}", lambda x, t=t: (x.astype(t).astype(jnp.float32), x.astype(jnp.bfloat16).astype(t).astype(jnp.float32)), lambda draw: (np.concatenate([draw(20, low=0.1, high=100), draw(20, low=0.001, high=0.1)]),))
        yield value(f"bits_{n}", lambda x, t=t: (lax.bitcast_convert_type(x.astype(t), jnp.uint8), lax.bitcast_convert_type(lax.bitcast_convert_type(x.astype(t), jnp.int8), t).astype(jnp.float32)), lambda draw: (draw(9, low=0.1, high=9),))
    for t in ("float8_e4m3fn", "float8_e5m2"):
        yield value(f"dot_{t}", lambda x, y, t=t: lax.dot_general(x.astype(t), y.astype(t), (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32), lambda draw: (draw(3, 4), draw(4, 5)))
        yield value(f"arrays_{t}", lambda x, t=t: (lambda y: (jnp.concatenate([y, y[::-1]]).astype(jnp.float32), (y + y).astype(jnp.float32), jnp.max(y.astype(jnp.float32)), (y > y[0]), jnp.where(y > 0, y, -y).astype(jnp.float32)))(x.astype(t)), lambda draw: (draw(4, 3),))
        yield gradient(f"quantised_linear_{t}", lambda x, w, t=t: (x / jnp.max(jnp.abs(x))).astype(t).astype(jnp.float32) @ (w / jnp.max(jnp.abs(w))).astype(t).astype(jnp.float32), lambda draw: (draw(3, 4), draw(4, 5)))
    for t in ("int4", "uint4", "int2", "uint2"):
        yield value(f"round_{t}", lambda x, t=t: (x.astype(t).astype(jnp.int32), (x.astype(t) + x.astype(t)).astype(jnp.int32)), lambda draw: (draw(12, dtype=i8, low=0, high=1),))
        yield value(f"unpack_{t}", lambda x, t=t: lax.bitcast_convert_type(x, t).astype(jnp.int32), lambda draw: (draw(6, dtype=u8, low=0, high=255),))
    yield value("int4_linear", lambda x, w, s: x @ (w.astype(jnp.int4).astype(jnp.bfloat16) * s), lambda draw: (draw(3, 4, dtype=bf16), draw(4, 5, dtype=i8, low=-7, high=7), draw(5, dtype=bf16)))
    yield value("int8_linear", lambda x, w: (lambda s: lax.dot_general(jnp.round(x / s).astype(jnp.int8), w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) * s)(jnp.max(jnp.abs(x)) / 127), lambda draw: (draw(3, 4), draw(4, 5, dtype=i8, low=-90, high=90)))
    yield value("bits_bool", lambda x: lax.bitcast_convert_type(x, bool), lambda draw: (draw(7, dtype=bool),))
    yield value("view_bits", lambda x: (x.view(jnp.uint16), x.view(jnp.int8), x.view(jnp.uint16).view(jnp.bfloat16)), lambda draw: (draw(3, 4),))
    yield value("packbits", lambda x: (jnp.packbits(x), jnp.unpackbits(jnp.packbits(x))), lambda draw: (draw(3, 13, dtype=bool),))
    for dtype in (bf16, f16):
        yield gradient(f"layer_norm_{dtype.name}", lambda x: nn.standardize(x, axis=-1), lambda draw, d=dtype: (draw(4, 9, dtype=d),))
        yield gradient(f"softmax_attention_{dtype.name}", lambda q, k, v: nn.softmax((q @ k.T).astype(jnp.float32)).astype(q.dtype) @ v, lambda draw, d=dtype: (draw(4, 5, dtype=d), draw(4, 5, dtype=d), draw(4, 5, dtype=d)))
        yield value(f"cumsum_{dtype.name}_long", lambda x: (jnp.cumsum(x), jnp.cumsum(x, dtype=jnp.float32), lax.associative_scan(jnp.add, x)), lambda draw, d=dtype: (draw(100, dtype=d),))
        yield value(f"scatter_{dtype.name}", lambda x, i, u: (x.at[i].add(u), x.at[i].multiply(u), x.at[i].max(u)), lambda draw, d=dtype: (draw(5, 2, dtype=d), draw(9, dtype=i32, low=0, high=4), draw(9, 2, dtype=d)))
    yield value("stochastic_rounding", lambda x, k: lax.bitcast_convert_type(((lax.bitcast_convert_type(x, jnp.uint32) + (jax.random.bits(k, x.shape) >> 16)) >> 16).astype(jnp.uint16), jnp.bfloat16), lambda draw: (draw(9), draw.key()))
    yield value("fast_inverse_sqrt", lambda x: (lambda y: y * (1.5 - 0.5 * x * y * y))(lax.bitcast_convert_type(0x5F3759DF - (lax.bitcast_convert_type(x, jnp.int32) >> 1), jnp.float32)), lambda draw: (draw(9, low=0.1, high=9),))
    yield value("hash_bits", lambda x: lax.fori_loop(0, 3, lambda i, h: (h ^ (h >> 16)) * jnp.uint32(0x45D9F3B), x), lambda draw: (draw.generator.integers(0, 2**32, 7, dtype=u32),))
    yield value("crc", lambda x: lax.fori_loop(0, 8, lambda i, c: jnp.where(c & 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1), x), lambda draw: (draw.generator.integers(0, 2**32, 7, dtype=u32),))
