"""Small JAX programs: the functions that people's models are made of, by themselves, over many dtypes, most with gradients."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax
from jax import lax, nn
from jax.scipy import special
from jax.scipy.linalg import block_diag
from program import Program

bf16, f16 = np.dtype(ml_dtypes.bfloat16), np.dtype("float16")
f32, f64 = np.dtype("float32"), np.dtype("float64")
i8, i16, i32, i64, u8, u32 = (np.dtype(t) for t in ("int8", "int16", "int32", "int64", "uint8", "uint32"))


class Inputs:
    """Draws arrays; the same for a program of the same name."""

    def __init__(self, name: str) -> None:
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def __call__(self, *shape: int, dtype=f32, low: float = -2.0, high: float = 2.0) -> np.ndarray:
        if np.dtype(dtype).kind in "iu":
            return self.generator.integers(int(low) if np.dtype(dtype).kind == "i" else max(0, int(low)), int(high) + 1, shape
                                           ).astype(dtype)
        if np.dtype(dtype) == bool:
            return np.asarray(self.generator.random(shape) < 0.5)
        return np.asarray(self.generator.uniform(low, high, shape)).astype(dtype)

    def permutation(self, *shape: int, dtype=f32) -> np.ndarray:
        """Numbers no two of which are equal."""
        count = int(np.prod(shape))
        return self.generator.permutation(count).reshape(shape).astype(dtype) - count // 2

    def key(self) -> np.ndarray:
        return self.generator.integers(0, 2**32, 2, dtype=u32)


Make = Callable[[Inputs], tuple]


def with_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """The value, and the gradient of a weighted sum of it by every floating-point input."""

    def both(*inputs):
        wanted = [i for i, x in enumerate(inputs) if jnp.issubdtype(jnp.result_type(x), jnp.floating)]

        def of_wanted(*chosen):
            given = list(inputs)
            for i, x in zip(wanted, chosen):
                given[i] = x
            return function(*given)

        value, pull = jax.vjp(of_wanted, *(inputs[i] for i in wanted))
        return value, pull(jax.tree.map(lambda y: (1 + jnp.arange(y.size) % 3).reshape(y.shape).astype(y.dtype), value))

    return both


def value(name: str, function: Callable[..., Any], make: Make, **options) -> Program:
    return Program(name, function, make(Inputs(name)), **options)


def gradient(name: str, function: Callable[..., Any], make: Make, **options) -> Program:
    return value(name, with_gradient(function), make, **options)


# ---- one element at a time

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
            draw = partial(_one, dtype=dtype, low=low, high=high)
            yield gradient(f"{name}_{dtype.name}", function, draw, x64=dtype == f64)
    for name in ("sin", "log", "lgamma", "erf_inv", "digamma", "arcsinh", "i1e", "cbrt"):
        function, low, high = SMOOTH[name]
        yield gradient(f"{name}_float64", function, partial(_one, dtype=f64, low=low, high=high), x64=True)


def _one(draw: Inputs, dtype=f32, low: float = -2, high: float = 2) -> tuple:
    return (draw(3, 7, dtype=dtype, low=low, high=high),)


ROUNDING = (jnp.floor, jnp.ceil, jnp.round, jnp.trunc, jnp.rint, jnp.sign, jnp.isnan, jnp.isinf, jnp.isfinite, jnp.isposinf,
            jnp.isneginf, jnp.signbit, jnp.nan_to_num, jnp.logical_not)


def special_values(draw: Inputs, dtype=f32) -> tuple:
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, np.inf, -np.inf, np.nan, 2e-38, 3e38, 7.49999]
    return (np.array(edges).astype(dtype),)  # none subnormal: XLA's are 0


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
    yield value("frexp", jnp.frexp, _one)
    yield value("modf", jnp.modf, _one)
    yield value("ldexp", jnp.ldexp, lambda draw: (draw(4), draw(4, dtype=i32, low=-3, high=3)))
    yield value("nextafter", jnp.nextafter, lambda draw: (draw(9), draw(9)))
    yield value("reduce_precision", lambda x: lax.reduce_precision(x, 5, 7), _one)


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
    yield gradient("clip", lambda x: jnp.clip(x, -1, 1) + jnp.clip(x, min=0.5), _one)
    yield gradient("select_n", lambda i, x, y, z: lax.select_n(i, x, y, z),
                   lambda draw: (draw(6, dtype=i32, low=0, high=2), draw(6), draw(6), draw(6)))
    yield value("logical", lambda a, b: (a & b, a | b, a ^ b, jnp.logical_xor(a, b), a.all(), b.any(0)),
                lambda draw: (draw(3, 4, dtype=bool), draw(3, 4, dtype=bool)))
    yield gradient("polyval", lambda p, x: jnp.polyval(p, x), lambda draw: (draw(4), draw(5)))
    yield gradient("piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 1], [lambda v: -v, jnp.sqrt, lambda v: v * v]), _one)


# ---- reductions, scans and orders


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
    yield value("reduce_custom", lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: jnp.maximum(jnp.abs(a), jnp.abs(b)), (0,)), _one)
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


# ---- shapes and places


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


# ---- products and convolutions


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


# ---- control flow, randomness, transformations


def control() -> Iterator[Program]:
    yield gradient("scan", lambda c, xs: lax.scan(lambda c, x: (jnp.tanh(c * 0.9 + x), c.sum()), c, xs), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_reverse", lambda c, xs: lax.scan(lambda c, x: (c * 0.5 + x, c), c, xs, reverse=True), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_unroll", lambda c, xs: lax.scan(lambda c, x: (c * x, c + x), c, xs, unroll=3), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_pytree", lambda c, w: lax.scan(lambda c, x: ({"a": c["a"] @ w, "n": c["n"] + 1}, c["n"]), {"a": c, "n": 0}, None, length=4),
                   lambda draw: (draw(2, 3), draw(3, 3, low=-0.5, high=0.5)))
    yield gradient("scan_dynamic_slice", lambda x, w: lax.scan(lambda c, i: (c + lax.dynamic_slice(x, (i, 0), (2, 3)) @ w, x[i]), jnp.zeros((2, 3)), jnp.arange(4)),
                   lambda draw: (draw(6, 3), draw(3, 3)))
    yield gradient("scan_checkpoint", lambda c, xs: lax.scan(jax.checkpoint(lambda c, x: (jnp.sin(c) * x, c)), c, xs), lambda draw: (draw(3), draw(5, 3)))
    yield gradient("scan_bf16", lambda c, xs: lax.scan(lambda c, x: (c * x.astype(jnp.float32), x), c, xs), lambda draw: (draw(3), draw(5, 3, dtype=bf16)))
    yield gradient("nested_scan", lambda c, xs: lax.scan(lambda c, row: lax.scan(lambda c, x: (c * 0.9 + x, c * x), c, row), c, xs), lambda draw: (np.float32(0.5), draw(4, 3)))
    yield gradient("scan_zero_length", lambda c, xs: lax.scan(lambda c, x: (c + x, c), c, xs), lambda draw: (draw(3), draw(0, 3)))
    yield value("while_loop", lambda x: lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 1, s[1] * 1.1), (0, x)), lambda draw: (draw(3),))
    yield value("while_data", lambda x: lax.while_loop(lambda s: jnp.sum(s * s) > 0.1, lambda s: s * 0.7, x), lambda draw: (draw(3),))
    yield value("while_none", lambda x: lax.while_loop(lambda s: s[0] < 0, lambda s: (s[0] + 1, s[1] * 2), (0, x)), lambda draw: (draw(3),))
    yield gradient("fori_loop", lambda x: lax.fori_loop(0, 5, lambda i, s: s * 1.1 + i, x), lambda draw: (draw(3),))
    yield value("fori_dynamic", lambda x, n: lax.fori_loop(0, n, lambda i, s: s.at[i].add(i), x), lambda draw: (draw(6), np.int32(4)))
    yield gradient("cond", lambda p, x: lax.cond(p > 0, jnp.sin, lambda v: v * 3, x), lambda draw: (np.int32(1), draw(3)))
    yield gradient("cond_captures", lambda p, x, y: lax.cond(p, lambda: (x * y, x.sum()), lambda: (x + y, jnp.float32(2))), lambda draw: (np.bool_(False), draw(3), draw(3)))
    yield gradient("switch", lambda i, x: lax.switch(i, (jnp.sin, jnp.cos, lambda v: v * v), x), lambda draw: (np.int32(2), draw(3)))
    yield value("switch_clamped", lambda i, j, x: (lax.switch(i, (jnp.sin, jnp.cos), x), lax.switch(j, (jnp.sin, jnp.cos), x)), lambda draw: (np.int32(9), np.int32(-3), draw(3)))
    yield gradient("cond_in_scan", lambda x: lax.scan(lambda c, i: (lax.cond(i % 2 == 0, jnp.sin, jnp.cos, c), c), x, jnp.arange(5)), lambda draw: (draw(3),))
    yield value("vmap_while", jax.vmap(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, 1))[1]), lambda draw: (draw(5, dtype=i32, low=0, high=6),))
    yield value("vmap_cond", jax.vmap(lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x)), lambda draw: (draw(5), draw(5)))
    yield gradient("map", lambda x: lax.map(lambda row: jnp.sort(row)[0] * row, x), lambda draw: (draw.permutation(4, 5) / f32.type(8),))
    yield gradient("custom_jvp", lambda x: nn.relu(x) + nn.silu(x) + special.logit(nn.sigmoid(x)), _one)
    yield gradient("custom_vjp", clipped_gradient, _one)
    yield gradient("remat", jax.checkpoint(lambda x, w: jnp.tanh(jnp.sin(x @ w) @ w)), lambda draw: (draw(3, 4), draw(4, 4)))
    yield gradient("stop_gradient", lambda x: lax.stop_gradient(x) * x, _one)
    yield value("hessian", lambda x: jax.hessian(lambda v: jnp.sum(jnp.tanh(v) ** 3))(x), lambda draw: (draw(4),))
    yield value("jacobian", lambda x, w: (jax.jacfwd(lambda v: jnp.sin(v @ w))(x), jax.jacrev(lambda v: jnp.sin(v @ w))(x)), lambda draw: (draw(3), draw(3, 4)))
    yield value("jvp", lambda x, t: jax.jvp(lambda v: nn.softmax(v) * v, (x,), (t,)), lambda draw: (draw(2, 5), draw(2, 5)))
    yield value("per_example_gradients", lambda w, x: jax.vmap(jax.grad(lambda w, v: jnp.sum(jnp.tanh(v @ w) ** 2)), (None, 0))(w, x), lambda draw: (draw(3, 2), draw(4, 3)))
    yield value("barrier", lambda x, y: lax.optimization_barrier((x + 1, y * 2)), lambda draw: (draw(3), draw(3)))
    yield value("nested_jit", lambda x: jax.jit(lambda v: jax.jit(jnp.sin)(v) + jax.jit(jnp.sin)(v * 2))(x), _one)
    yield value("named_scope", lambda x: jax.named_scope("a block")(lambda v: jnp.sin(v))(x), _one)
    yield value("same_output_twice", lambda x: (x, x, x + 1), _one)
    yield value("unused_input", lambda x, y: y * 2, lambda draw: (draw(3), draw(2)))
    yield value("newton", lambda x: lax.fori_loop(0, 6, lambda i, v: 0.5 * (v + x / v), x), lambda draw: (draw(5, low=0.5, high=9),))
    yield value("x64_mixed", lambda x, n: (jnp.sum(x, 0), n * 2**40, x.astype(jnp.float32) @ jnp.ones((3,), jnp.float32), jnp.argmax(x, 1)),
                lambda draw: (draw(4, 3, dtype=f64), draw(4, dtype=i64)), x64=True)
    yield gradient("x64_scan", lambda c, xs: lax.scan(lambda c, x: (jnp.sin(c) + x, c), c, xs), lambda draw: (draw(3, dtype=f64), draw(5, 3, dtype=f64)), x64=True)
    yield gradient("x64_gather", lambda x, i: x[i] ** 2, lambda draw: (draw(5, dtype=f64), draw(4, dtype=i64, low=-5, high=4)), x64=True)
    yield value("x64_integers", lambda a, b: (a * b, a // b, a << 3, a >> 2, jnp.bitwise_count(a), lax.mulhi(a, b) if hasattr(lax, "mulhi") else a),
                lambda draw: (draw(9, dtype=i64, low=-(2**62), high=2**62), draw(9, dtype=i64, low=1, high=2**40)), x64=True)


@jax.custom_vjp
def clipped_gradient(x):
    return x * x


clipped_gradient.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(2 * x * g, -1, 1),))


def randomness() -> Iterator[Program]:
    def key(draw: Inputs) -> tuple:
        return (draw.key(),)

    samplers = {
        "uniform": lambda k: jax.random.uniform(k, (3, 5)), "normal": lambda k: jax.random.normal(k, (7,)), "bits": lambda k: jax.random.bits(k, (9,)),
        "bits8": lambda k: jax.random.bits(k, (9,), jnp.uint8), "randint": lambda k: jax.random.randint(k, (9,), -5, 17), "split": lambda k: jax.random.split(k, 3),
        "fold_in": lambda k: jax.random.fold_in(k, 7), "permutation": lambda k: jax.random.permutation(k, 10), "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (20,)),
        "categorical": lambda k: jax.random.categorical(k, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(9,)), "gumbel": lambda k: jax.random.gumbel(k, (9,)),
        "truncated_normal": lambda k: jax.random.truncated_normal(k, -1, 1, (9,)), "exponential": lambda k: jax.random.exponential(k, (9,)),
        "laplace": lambda k: jax.random.laplace(k, (9,)), "choice": lambda k: jax.random.choice(k, jnp.arange(9), (4,), replace=False),
        "uniform_bf16": lambda k: jax.random.uniform(k, (9,), jnp.bfloat16), "normal_bf16": lambda k: jax.random.normal(k, (9,), jnp.bfloat16),
        "cauchy": lambda k: jax.random.cauchy(k, (9,)), "logistic": lambda k: jax.random.logistic(k, (9,)), "rademacher": lambda k: jax.random.rademacher(k, (9,)),
        "gamma": lambda k: jax.random.gamma(k, 2.5, (5,)), "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (5,)), "poisson": lambda k: jax.random.poisson(k, 4.0, (9,)),
        "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3), (4,)), "orthogonal_free": lambda k: jax.random.ball(k, 3, 2.0, (4,)),
        "initializers": lambda k: (nn.initializers.he_normal()(k, (4, 5)), nn.initializers.glorot_uniform()(k, (4, 5)), nn.initializers.lecun_normal()(k, (4, 5))),
    }
    for name, function in samplers.items():
        yield value(f"random_{name}", function, key)
    yield value("random_typed_key", lambda seed: jax.random.normal(jax.random.key(seed), (5,)), lambda draw: (np.int32(42),))
    yield value("random_prng_key", lambda seed: jax.random.uniform(jax.random.PRNGKey(seed), (5,)), lambda draw: (np.int32(42),))
    yield value("random_rbg", lambda seed: jax.random.uniform(jax.random.key(seed, impl="rbg"), (5,)), lambda draw: (np.int32(42),))
    yield value("rng_bit_generator", lambda k: lax.rng_bit_generator(k, (4, 5)), lambda draw: (draw.generator.integers(0, 2**32, 4, dtype=u32),))
    yield value("rng_three_fry", lambda k: lax.rng_bit_generator(k, (4, 5), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY),
                lambda draw: (draw.generator.integers(0, 2**32, 4, dtype=u32),))
    yield gradient("dropout", lambda x, k: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.8, x.shape), x / 0.8, 0),
                   lambda draw: (draw(4, 6), draw.key()))
    yield value("random_x64", lambda k: (jax.random.normal(k, (5,)), jax.random.randint(k, (5,), 0, 2**40), jax.random.bits(k, (3,), jnp.uint64)), key, x64=True)
    yield gradient("reparametrised", lambda m, s, k: jnp.sum(m + jnp.exp(s) * jax.random.normal(k, m.shape)), lambda draw: (draw(5), draw(5), draw.key()))


# ---- losses and optimizers


def training() -> Iterator[Program]:
    logits = lambda draw: (draw(4, 5), draw(4, dtype=i32, low=0, high=4))  # noqa: E731
    yield gradient("cross_entropy", optax.softmax_cross_entropy_with_integer_labels, logits)
    yield gradient("cross_entropy_soft", optax.softmax_cross_entropy, lambda draw: (draw(4, 5), nn.softmax(draw(4, 5))))
    yield gradient("sigmoid_cross_entropy", optax.sigmoid_binary_cross_entropy, lambda draw: (draw(4, 5), draw(4, 5, low=0, high=1)))
    yield gradient("huber", optax.huber_loss, lambda draw: (draw(9), draw(9)))
    yield gradient("cosine", optax.cosine_similarity, lambda draw: (draw(4, 5), draw(4, 5)))
    yield gradient("ctc", lambda x, labels: optax.ctc_loss(x, jnp.zeros((2, 6)), labels, jnp.zeros((2, 3))),
                   lambda draw: (draw(2, 6, 4), draw(2, 3, dtype=i32, low=1, high=3)))
    optimizers = {
        "sgd": optax.sgd(0.1, 0.9, nesterov=True), "adam": optax.adam(1e-2), "adamw": optax.adamw(1e-2), "lamb": optax.lamb(1e-2),
        "lion": optax.lion(1e-2), "rmsprop": optax.rmsprop(1e-2, centered=True), "adagrad": optax.adagrad(1e-2), "adafactor": optax.adafactor(1e-2),
        "adabelief": optax.adabelief(1e-2), "adamax": optax.adamax(1e-2), "nadam": optax.nadam(1e-2), "radam": optax.radam(1e-2), "novograd": optax.novograd(1e-2),
        "yogi": optax.yogi(1e-2), "adadelta": optax.adadelta(1e-2), "sophia_free_clip": optax.chain(optax.adaptive_grad_clip(0.1), optax.sgd(0.1)),
        "cosine_schedule": optax.adam(optax.warmup_cosine_decay_schedule(0, 1e-2, 3, 10)), "accumulate": optax.MultiSteps(optax.adam(1e-2), 2).gradient_transformation(),
    }
    for name, optimizer in optimizers.items():
        def steps(w, x, o=optimizer):
            def step(carry, batch):
                w, state = carry
                loss, g = jax.value_and_grad(lambda v: jnp.mean(jnp.tanh(batch @ v["m"] + v["b"]) ** 2))(w)
                updates, state = o.update(g, state, w)
                return (optax.apply_updates(w, updates), state), loss
            (w, _), losses = lax.scan(step, (w, o.init(w)), x)
            return w, losses
        yield value(f"optax_{name}", steps, lambda draw: ({"m": draw(4, 3), "b": draw(3)}, draw(3, 5, 4)))


def functions() -> Iterator[Program]:
    for family in (elementwise, rounding, binary, reductions, shapes, indexing, products, convolutions, control, randomness, training):
        yield from family()
