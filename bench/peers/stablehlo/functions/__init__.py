"""Small JAX programs: the functions that people's models are made of, by themselves, over many dtypes, most with gradients."""

from __future__ import annotations

from collections.abc import Iterator

from program import Program

from .arrays import indexing, reductions, shapes
from .complexes import complexes
from .contractions import convolutions, products
from .control import control, randomness
from .elementwise import binary, elementwise, rounding
from .training import training


def functions() -> Iterator[Program]:
    for family in (elementwise, rounding, binary, reductions, shapes, indexing, products, convolutions, control, randomness, training,
                   complexes):
        yield from family()
