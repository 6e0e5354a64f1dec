"""The list of programs that are measured under JAX: each file of this folder adds its own."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

PROGRAMS: dict[str, Callable] = {}
TOLERANCE = 2e-3  # of the size of a result; programs of many steps multiply differences of rounding
TOLERANCES: dict[str, float] = {}


def program(make: Callable, tolerance: float = TOLERANCE) -> Callable:
    """Adds a program: `make` takes a source of random numbers, and returns a function to compile and its arguments."""
    name = make.__name__.replace("_", "-")
    PROGRAMS[name] = lambda: make(Source(make.__name__))
    TOLERANCES[name] = tolerance
    return make


def chaotic_program(make: Callable) -> Callable:
    """Adds a program in which a difference of rounding decides between elements that are far apart."""
    return program(make, tolerance=0.2)


class Source:
    """Random inputs, the same in every process."""

    def __init__(self, name: str):
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        return (scale * self.generator.standard_normal(shape)).astype(np.float32)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        return self.generator.uniform(low, high, shape).astype(np.float32)

    def integers(self, high: int, *shape: int) -> np.ndarray:
        return self.generator.integers(0, high, shape, np.int32)

    def layers(self, *widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Returns the weights and biases of dense layers between these widths."""
        return [(self.normal(a, b, scale=a**-0.5), np.zeros(b, np.float32)) for a, b in zip(widths, widths[1:])]
