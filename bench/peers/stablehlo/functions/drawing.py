"""Helpers for programs: random inputs determined by a name, and gradients."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from program import Program


bf16, f16 = np.dtype(ml_dtypes.bfloat16), np.dtype("float16")
f32, f64 = np.dtype("float32"), np.dtype("float64")
c64, c128 = np.dtype("complex64"), np.dtype("complex128")
i8, i16, i32, i64, u8, u32 = (np.dtype(t) for t in ("int8", "int16", "int32", "int64", "uint8", "uint32"))


class Inputs:
    """Draws random arrays, which are the same for programs with the same name."""

    def __init__(self, name: str) -> None:
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def __call__(self, *shape: int, dtype=f32, low: float = -2.0, high: float = 2.0) -> np.ndarray:
        if np.dtype(dtype).kind in "iu":
            return self.generator.integers(int(low) if np.dtype(dtype).kind == "i" else max(0, int(low)), int(high) + 1, shape
                                           ).astype(dtype)
        if np.dtype(dtype) == bool:
            return np.asarray(self.generator.random(shape) < 0.5)
        if np.dtype(dtype).kind == "c":
            return np.asarray(self.generator.uniform(low, high, shape) + 1j * self.generator.uniform(low, high, shape)).astype(dtype)
        return np.asarray(self.generator.uniform(low, high, shape)).astype(dtype)

    def permutation(self, *shape: int, dtype=f32) -> np.ndarray:
        """Draws numbers that are all different."""
        count = int(np.prod(shape))
        return self.generator.permutation(count).reshape(shape).astype(dtype) - count // 2

    def key(self) -> np.ndarray:
        return self.generator.integers(0, 2**32, 2, dtype=u32)


Make = Callable[[Inputs], tuple]


def with_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a program with the value and the gradients of a weighted sum of it with respect to every floating-point or complex input."""

    def both(*inputs):
        wanted = [i for i, x in enumerate(inputs) if jnp.issubdtype(jnp.result_type(x), jnp.inexact)]

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


def one(draw: Inputs, dtype=f32, low: float = -2, high: float = 2) -> tuple:
    return (draw(3, 7, dtype=dtype, low=low, high=high),)


def spd(draw: Inputs, *batch: int, n: int = 4, dtype=f32) -> np.ndarray:
    """Draws a Hermitian positive definite matrix."""
    a = draw(*batch, n, n, dtype=dtype)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n, dtype=dtype)
