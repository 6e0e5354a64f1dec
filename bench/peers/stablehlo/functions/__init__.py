"""Small JAX programs: each tests one function that models use, for many dtypes, most with gradients."""

from __future__ import annotations

from collections.abc import Iterator

from program import Program

from .arrays import indexing, reductions, shapes
from .complexes import complexes
from .contractions import convolutions, products
from .control import control, randomness
from .dynamics import dynamics, filters
from .elementwise import binary, elementwise, rounding
from .graphs import graphs, orders
from .narrow import narrow
from .nesting import batches, regions
from .numerics import signals, solvers, specials
from .pictures import pictures
from .statistics import distributions
from .training import training


def functions() -> Iterator[Program]:
    for family in (elementwise, rounding, binary, reductions, shapes, indexing, products, convolutions, control, randomness, training,
                   complexes, dynamics, filters, signals, solvers, specials, graphs, orders, distributions, pictures, batches, regions,
                   narrow):
        yield from family()
