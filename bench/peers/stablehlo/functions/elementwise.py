"""Elementwise functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special
from program import Program

from .drawing import Inputs, bf16, f16, f32, f64, gradient, i16, i32, i8, one, u32, u8, value


SMOOTH: dict[str, tuple[Callable, float, float]] = {
    "abs": (jnp.abs, -2, 2), "sin": (jnp.sin, -9, 9), "cos": (jnp.cos, -9, 9), "tan": (jnp.tan, -1.4, 1.4),
    "arcsin": (jnp.arcsin, -0.95, 0.95), "arccos": (jnp.arccos, -0.95, 0.95), "arctan": (jnp.arctan, -5, 5),
    "sinh": (jnp.sinh, -4, 4), "cosh": (jnp.cosh, -4, 4), "tanh": (jnp.tanh, -4, 4),
    "arcsinh": (jnp.arcsinh, -9, 9), "arccosh": (jnp.arccosh, 1.1, 9), "arctanh": (jnp.arctanh, -0.9, 0.9),
    "exp": (jnp.exp, -9, 9), "exp2": (jnp.exp2, -9, 9), "expm1": (jnp.expm1, -4, 4), "log": (jnp.log, 0.01, 9),
    "log1p": (jnp.log1p, -0.9, 9), "log2": (jnp.log2, 0.01, 9), "log10": (jnp.log10, 0.01, 9),
    "sqrt": (jnp.sqrt, 0.01, 9), "rsqrt": (lax.rsqrt, 0.01, 9), "cbrt": (jnp.cbrt, 0.1, 9), "square": (jnp.square, -3, 3),
    "reciprocal": (jnp.reciprocal, 0.1, 5), "sinc": (jnp.sinc, 0.1, 3), "sigmoid": (nn.sigmoid, -9, 9),
    "softplus": (nn.softplus, -9, 9), "silu": (nn.silu, -9, 9), "gelu": (partial(nn.gelu, approximate=False), -4, 4),
    "gelu_tanh": (nn.gelu, -4, 4), "elu": (nn.elu, -4, 4), "selu": (nn.selu, -4, 4), "celu": (nn.celu, -4, 4),
    "leaky_relu": (nn.leaky_relu, -4, 4), "relu": (nn.relu, -4, 4), "relu6": (nn.relu6, -9, 9),
    "hard_tanh": (nn.hard_tanh, -3, 3), "hard_sigmoid": (nn.hard_sigmoid, -5, 5), "hard_swish": (nn.hard_swish, -5, 5),
    "mish": (nn.mish, -4, 4), "log_sigmoid": (nn.log_sigmoid, -9, 9), "soft_sign": (nn.soft_sign, -4, 4),
    "squareplus": (nn.squareplus, -4, 4), "erf": (special.erf, -3, 3), "erfc": (special.erfc, -3, 3),
    "erf_inv": (special.erfinv, -0.95, 0.95), "ndtr": (special.ndtr, -3, 3), "ndtri": (special.ndtri, 0.05, 0.95),
    "log_ndtr": (special.log_ndtr, -3, 3), "lgamma": (special.gammaln, 0.2, 9), "digamma": (special.digamma, 0.3, 9),
    "expit": (special.expit, -5, 5), "logit": (special.logit, 0.05, 0.95), "entr": (special.entr, 0.05, 2),
    "i0e": (special.i0e, -4, 4), "i1e": (special.i1e, -4, 4), "integer_pow": (lambda x: x**5 - x**-2, 0.5, 2),
    "power_half": (lambda x: x**0.5 + x**1.7, 0.1, 3), "sparse_plus": (nn.sparse_plus, -2, 2),
}


def elementwise() -> Iterator[Program]:
    for name, (function, low, high) in SMOOTH.items():
        for dtype in (f32, f64, bf16, f16) if name in ("tanh", "exp", "gelu", "erf", "sigmoid", "silu") else (f32,) if "ndtr" in name else (f32, bf16):
            draw = partial(one, dtype=dtype, low=low, high=high)
            yield gradient(f"{name}_{dtype.name}", function, draw, x64=dtype == f64)
    for name in ("sin", "log", "lgamma", "erf_inv", "digamma", "arcsinh", "i1e", "cbrt"):
        function, low, high = SMOOTH[name]
        yield gradient(f"{name}_float64", function, partial(one, dtype=f64, low=low, high=high), x64=True)


ROUNDING = (jnp.floor, jnp.ceil, jnp.round, jnp.trunc, jnp.rint, jnp.sign, jnp.isnan, jnp.isinf, jnp.isfinite, jnp.isposinf,
            jnp.isneginf, jnp.signbit, jnp.nan_to_num, jnp.logical_not)


def special_values(draw: Inputs, dtype=f32) -> tuple:
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, np.inf, -np.inf, np.nan, 2e-38, 3e38, 7.49999]
    return (np.array(edges).astype(dtype),)  # no subnormal numbers, because XLA treats them as 0


def rounding() -> Iterator[Program]:
    for function in ROUNDING:
        for dtype in (f32, bf16):
            yield value(f"{function.__name__}_{dtype.name}", function, partial(special_values, dtype=dtype))
    for function in (jnp.exp, jnp.log, jnp.sqrt, jnp.tanh, jnp.sin, jnp.arctan, nn.sigmoid, nn.softplus, nn.relu, nn.gelu,
                     jnp.log1p, jnp.expm1, jnp.cbrt, special.erf, jnp.reciprocal, jnp.square, jnp.arcsinh, jnp.cosh,
                     special.gammaln, nn.logsumexp, nn.softmax, jnp.sort, jnp.argsort, jnp.max, jnp.argmax, jnp.cumsum):
        yield value(f"edges_{function.__name__}", function, special_values)
    for target in (i8, i32, u8, u32, bool, f16, bf16):
        yield value(f"astype_{np.dtype(target).name}", lambda x, t=target: x.astype(t),
                    lambda draw: (draw(5, 3, low=0, high=100),))
        yield value(f"int_astype_{np.dtype(target).name}", lambda x, t=target: x.astype(t),
                    lambda draw: (draw(5, 3, dtype=i32, low=-300, high=300),))
    yield value("bitcast", lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x, jnp.uint8)),
                special_values)
    yield value("bitcast_wider", lambda x: lax.bitcast_convert_type(x, jnp.uint32),
                lambda draw: (draw(3, 4, dtype=u8, low=0, high=255),))
    yield value("frexp", jnp.frexp, one)
    yield value("modf", jnp.modf, one)
    yield value("ldexp", jnp.ldexp, lambda draw: (draw(4), draw(4, dtype=i32, low=-3, high=3)))
    yield value("nextafter", jnp.nextafter, lambda draw: (draw(9), draw(9)))
    yield value("reduce_precision", lambda x: lax.reduce_precision(x, 5, 7), one)


BINARY = (jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum, jnp.arctan2, jnp.hypot, jnp.logaddexp,
          jnp.logaddexp2, jnp.copysign, jnp.remainder, jnp.fmod, jnp.fmin, jnp.fmax, jnp.float_power, special.xlogy, special.xlog1py,
          jnp.heaviside)
INTEGER_BINARY = (jnp.add, jnp.subtract, jnp.multiply, jnp.floor_divide, jnp.remainder, jnp.fmod, jnp.maximum, jnp.minimum,
                  jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor, jnp.left_shift, jnp.right_shift, jnp.power, jnp.gcd, jnp.lcm,
                  jnp.divmod, jnp.true_divide, jnp.equal, jnp.less, jnp.greater_equal)


def binary() -> Iterator[Program]:
    for function in BINARY:
        for dtype in (f32, bf16):
            yield gradient(f"{function.__name__}_{dtype.name}", function,
                           lambda draw, d=dtype: (draw(4, 5, dtype=d, low=0.3, high=3), draw(5, dtype=d, low=0.3, high=3)))
    for function in INTEGER_BINARY:
        for dtype in (i32, u8, i16, u32):
            yield value(f"{function.__name__}_{dtype.name}", function,
                        lambda draw, d=dtype: (draw(4, 5, dtype=d, low=-40, high=40), draw(5, dtype=d, low=1, high=6)))
    yield value("float_remainder_signs", lambda x, y: (jnp.remainder(x, y), jnp.fmod(x, y), jnp.floor_divide(x, y)),
                lambda draw: (draw(50, low=-9, high=9), draw(50)))
    yield value("negative_division", lambda x, y: (x // y, x % y, lax.div(x, y), lax.rem(x, y)),
                lambda draw: (draw(50, dtype=i32, low=-50, high=50), draw(50, dtype=i32, low=1, high=7) * -1))
    yield value("bits", lambda x: (lax.population_count(x), lax.clz(x), ~x, lax.shift_right_logical(x, jnp.int32(3))),
                lambda draw: (draw(20, dtype=i32, low=-(2**31), high=2**31 - 1),))
    yield gradient("promotion", lambda x, n, h: x * n + h * 2 - 1, lambda draw: (draw(3, 4), draw(4, dtype=i32), draw(3, 1, dtype=bf16)))
    yield gradient("where", lambda c, x, y: jnp.where(c, x, y) * jnp.where(x > 0, 2.0, y),
                   lambda draw: (draw(3, 4, dtype=bool), draw(3, 4), draw(4)))
    yield gradient("clip", lambda x: jnp.clip(x, -1, 1) + jnp.clip(x, min=0.5), one)
    yield gradient("select_n", lambda i, x, y, z: lax.select_n(i, x, y, z),
                   lambda draw: (draw(6, dtype=i32, low=0, high=2), draw(6), draw(6), draw(6)))
    yield value("logical", lambda a, b: (a & b, a | b, a ^ b, jnp.logical_xor(a, b), a.all(), b.any(0)),
                lambda draw: (draw(3, 4, dtype=bool), draw(3, 4, dtype=bool)))
    yield gradient("polyval", lambda p, x: jnp.polyval(p, x), lambda draw: (draw(4), draw(5)))
    yield gradient("piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 1], [lambda v: -v, jnp.sqrt, lambda v: v * v]), one)
