"""Complex numbers: functions, arrays, products, loops, most with gradients."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from program import Program

from .drawing import c64, c128, f32, f64, gradient, i32, value

UNARY = (jnp.negative, jnp.abs, jnp.angle, jnp.real, jnp.imag, jnp.conj, jnp.square, jnp.sqrt, lax.rsqrt, jnp.exp, jnp.expm1, jnp.log,
         jnp.log1p, jnp.sin, jnp.cos, jnp.tan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.arcsin, jnp.arccos, jnp.arctan, jnp.arcsinh,
         jnp.arccosh, jnp.arctanh, jnp.sign, jnp.reciprocal, jax.nn.sigmoid, jnp.log2, jnp.log10, jnp.exp2)
BINARY = (jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.power)
ORDER = (jnp.equal, jnp.not_equal, jnp.less, jnp.greater_equal, jnp.maximum, jnp.minimum)
TESTS = (jnp.isnan, jnp.isinf, jnp.isfinite, jnp.iscomplex, jnp.isreal, jnp.logical_not)


def complexes() -> Iterator[Program]:
    yield from elements()
    yield from arrays()
    yield from structures()
    yield from transforms()


def elements() -> Iterator[Program]:
    for dtype in (c64, c128):
        options = {"x64": dtype == c128}
        one = lambda draw, d=dtype: (draw(3, 7, dtype=d),)  # noqa: E731
        two = lambda draw, d=dtype: (draw(3, 7, dtype=d), draw(7, dtype=d))  # noqa: E731
        for function in UNARY:
            yield gradient(f"{function.__name__}_{dtype.name}", function, one, **options)
        for function in BINARY:
            yield gradient(f"{function.__name__}_{dtype.name}", function, two, **options)
        for function in ORDER:
            yield value(f"{function.__name__}_{dtype.name}", function,
                        lambda draw, d=dtype: (np.round(draw(30, dtype=d)), np.round(draw(30, dtype=d))), **options)
        for function in TESTS:
            yield value(f"{function.__name__}_{dtype.name}", function, lambda draw, d=dtype: (corners(d),), **options)
        for power in (2, 3, -1, -2):
            yield gradient(f"integer_power_{power}_{dtype.name}", lambda x, p=power: lax.integer_pow(x, p), one, **options)
        yield gradient(f"polar_{dtype.name}", lambda z: (jnp.abs(z) * jnp.exp(1j * jnp.angle(z)), lax.complex(z.imag, z.real)), one, **options)
        yield value(f"conversions_{dtype.name}", lambda z, n: (n.astype(z.dtype), z.real.astype(z.dtype), z.astype(bool), z.astype(jnp.complex64)),
                    lambda draw, d=dtype: (draw(5, dtype=d), draw(5, dtype=i32)), **options)
        yield value(f"bits_{dtype.name}", lambda z: z.view(z.real.dtype), one, **options)
        yield gradient(f"where_{dtype.name}", lambda c, x, y: jnp.where(c, x, 2 * y),
                       lambda draw, d=dtype: (draw(3, 4, dtype=bool), draw(3, 4, dtype=d), draw(4, dtype=d)), **options)


def corners(dtype: np.dtype) -> np.ndarray:
    parts = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    return np.array([complex(x, y) for x in parts for y in parts], dtype)


def arrays() -> Iterator[Program]:
    for dtype in (c64, c128):
        options = {"x64": dtype == c128}
        one = lambda draw, d=dtype: (draw(4, 6, dtype=d),)  # noqa: E731
        for function in (jnp.sum, jnp.prod, jnp.mean, jnp.var, jnp.std, jnp.cumsum, jnp.cumprod, jnp.diff, jnp.flip, jnp.linalg.norm):
            yield gradient(f"{function.__name__}_{dtype.name}", lambda x, f=function: f(x, axis=1), one, **options)
        for function in (jnp.max, jnp.min, jnp.sort, jnp.any, jnp.all, jnp.count_nonzero):
            yield value(f"{function.__name__}_{dtype.name}", lambda x, f=function: f(x, axis=1), one, **options)
        yield value(f"argsort_{dtype.name}", jnp.argsort, one, **options)
        yield gradient(f"moves_{dtype.name}", lambda x: (x.T.reshape(3, 8)[::-1, 1:5:2], jnp.pad(x, ((1, 0), (0, 2))), jnp.roll(x, 2, 1),
                                                         jnp.concatenate([x, x.conj()]), jnp.tile(x, (2, 1)), jnp.stack([x, x * 1j])), one, **options)
        yield gradient(f"indexing_{dtype.name}", lambda x, i: (x[i], x[:, i], jnp.take_along_axis(x, i[:, None], 0), lax.dynamic_slice(x, (i[0], i[1]), (2, 3))),
                       lambda draw, d=dtype: (draw(4, 6, dtype=d), draw(3, dtype=i32, low=0, high=3)), **options)
        yield gradient(f"updates_{dtype.name}", lambda x, y, i: (x.at[i].set(y), x.at[i].add(y), x.at[i].multiply(y, unique_indices=True),
                                                                 lax.dynamic_update_slice(x, y, (i[0], i[1]))),
                       lambda draw, d=dtype: (draw(6, 4, dtype=d), draw(3, 4, dtype=d), np.array([2, 0, 3], i32)), **options)
        yield gradient(f"segment_sum_{dtype.name}", lambda x, i: jax.ops.segment_sum(x, i, 3),
                       lambda draw, d=dtype: (draw(8, 2, dtype=d), draw(8, dtype=i32, low=0, high=2)), **options)
        yield value(f"literals_{dtype.name}", lambda x: (x + (2 - 1j), jnp.ones_like(x), jnp.eye(3, dtype=x.dtype), jnp.arange(4, dtype=x.dtype),
                                                         x * jnp.asarray(np.linspace(0, 1j, 6), x.dtype)), one, **options)


def structures() -> Iterator[Program]:
    for dtype in (c64, c128):
        options = {"x64": dtype == c128}
        yield gradient(f"matmul_{dtype.name}", jnp.matmul, lambda draw, d=dtype: (draw(2, 3, 4, dtype=d), draw(2, 4, 5, dtype=d)), **options)
        yield gradient(f"matmul_real_{dtype.name}", jnp.matmul, lambda draw, d=dtype: (draw(3, 4), draw(4, 5, dtype=d)), **options)
        yield gradient(f"einsum_{dtype.name}", lambda x, y: jnp.einsum("ij,kj->ik", x, y.conj()),
                       lambda draw, d=dtype: (draw(3, 4, dtype=d), draw(5, 4, dtype=d)), **options)
        yield gradient(f"vdot_{dtype.name}", lambda x, y: (jnp.vdot(x, y), jnp.outer(x, y), jnp.kron(x, y)),
                       lambda draw, d=dtype: (draw(5, dtype=d), draw(5, dtype=d)), **options)
        yield gradient(f"convolve_{dtype.name}", lambda x, y: jnp.convolve(x, y), lambda draw, d=dtype: (draw(9, dtype=d), draw(4, dtype=d)), **options)
        yield gradient(f"scan_{dtype.name}", rotations, lambda draw, d=dtype: (draw(3, dtype=d), draw(6, 3, dtype=d, low=-0.7, high=0.7)), **options)
        yield gradient(f"associative_scan_{dtype.name}", linear_recurrence,
                       lambda draw, d=dtype: (draw(9, 3, dtype=d, low=-0.7, high=0.7), draw(9, 3, dtype=d)), **options)
        yield value(f"while_{dtype.name}", lambda z: lax.while_loop(lambda c: jnp.abs(c[0]) < 4, lambda c: (c[0] * (1 + 0.5j), c[1] + 1), (z, 0)),
                    lambda draw, d=dtype: (d.type(0.3 + 0.1j),), **options)
        yield gradient(f"cond_{dtype.name}", lambda p, z: lax.cond(p[0], lambda z: z * 1j, lambda z: z.conj(), z),
                       lambda draw, d=dtype: (draw(1, dtype=bool), draw(4, dtype=d)), **options)
        yield gradient(f"map_{dtype.name}", lambda z: lax.map(lambda row: row / jnp.sum(row), z), lambda draw, d=dtype: (draw(4, 3, dtype=d),), **options)
        yield value(f"reduce_custom_{dtype.name}", lambda z: lax.reduce(z, np.array(1, z.dtype), lambda a, b: a * b + 1, (1,)),
                    lambda draw, d=dtype: (draw(3, 5, dtype=d),), **options)
        yield value(f"sort_carried_{dtype.name}", lambda k, z: lax.sort((k, z), num_keys=1), lambda draw, d=dtype: (draw.permutation(9), draw(9, dtype=d)), **options)
    yield gradient("state_space", state_space, lambda draw: (draw(4), draw(4), draw(4, dtype=c64), draw(12)))
    yield gradient("rotary_complex", rotary, lambda draw: (draw(2, 6, 2, 8),))
    yield value("mandelbrot", mandelbrot, lambda draw: (draw(5, 5, dtype=c64),))


def transforms() -> Iterator[Program]:
    for dtype, real in ((c64, f32), (c128, f64)):
        options = {"x64": dtype == c128}
        for length in (1, 2, 7, 60, 67, 96, 201):
            yield value(f"fft_{length}_{dtype.name}", lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z)),
                        lambda draw, d=dtype, n=length: (draw(2, n, dtype=d),), **options)
            yield value(f"rfft_{length}_{dtype.name}", lambda x, z, n=length: (jnp.fft.rfft(x), jnp.fft.irfft(z, n)),
                        lambda draw, r=real, d=dtype, n=length: (draw(2, n, dtype=r), draw(2, n // 2 + 1, dtype=d)), **options)
        yield gradient(f"fftn_{dtype.name}", lambda z: (jnp.abs(jnp.fft.fftn(z)) ** 2, jnp.abs(jnp.fft.ifft2(z)) ** 2, jnp.fft.fft(z * z, axis=0)),
                       lambda draw, d=dtype: (draw(3, 4, 10, dtype=d),), **options)
        yield gradient(f"rfftn_{dtype.name}", lambda x: (jnp.abs(jnp.fft.rfftn(x)) ** 2, jnp.fft.irfftn(jnp.fft.rfftn(x * x), x.shape)),
                       lambda draw, r=real: (draw(3, 4, 9, dtype=r),), **options)
    yield gradient("fft_convolution", lambda x, k: jnp.fft.irfft(jnp.fft.rfft(x, 128) * jnp.fft.rfft(k, 128), 128)[..., :100],
                   lambda draw: (draw(2, 100), draw(100)))


def rotations(z, steps):
    return lax.scan(lambda carry, step: (carry * jnp.exp(1j * step), jnp.abs(carry)), z, steps)


def linear_recurrence(a, b):
    return lax.associative_scan(lambda left, right: (left[0] * right[0], right[0] * left[1] + right[1]), (a, b))


def state_space(log_decay, angle, output, inputs):
    """A diagonal state-space layer, run as a scan."""
    pole = jnp.exp(-jnp.exp(log_decay) + 1j * angle)
    _, states = lax.scan(lambda state, u: (pole * state + u, pole * state + u), jnp.zeros(4, pole.dtype), inputs)
    return (states @ output).real


def rotary(x):
    angles = jnp.arange(x.shape[1])[:, None] * 10000 ** (-jnp.arange(0, x.shape[-1], 2) / x.shape[-1])
    pairs = lax.complex(x[..., ::2], x[..., 1::2]) * jnp.exp(1j * angles)[None, :, None]
    return jnp.stack([pairs.real, pairs.imag], -1).reshape(x.shape)


def mandelbrot(c):
    return lax.fori_loop(0, 8, lambda _, z: jnp.where(jnp.abs(z) > 2, z, z * z + c), jnp.zeros_like(c))
