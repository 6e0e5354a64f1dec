"""A program of JAX with shardings, and the same program on one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

DEVICES = 8


def mesh_of(axes: dict[str, int], kind: AxisType = AxisType.Auto) -> Mesh:
    devices = np.array(jax.devices()[:DEVICES]).reshape(tuple(axes.values()))
    return Mesh(devices, tuple(axes), axis_types=(kind,) * len(axes))


@dataclass(frozen=True)
class Case:
    program: str
    layout: str
    mesh: Mesh
    function: Callable[..., Any]  # takes arrays with these shardings
    reference: Callable[..., Any]  # the same on one device
    inputs: Sequence[Any]  # pytrees of arrays
    shardings: Sequence[Any]  # of the inputs: pytrees of PartitionSpec
    results: Any = None  # shardings of the results; None lets the compiler decide

    @property
    def name(self) -> str:
        return f"{self.program}-{self.layout}"

    def lowered(self):
        """Lowers the function for arrays with these shardings."""
        def placed(array, spec):
            return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=NamedSharding(self.mesh, spec))

        inputs = jax.tree.map(placed, tuple(self.inputs), tuple(self.shardings))
        results = jax.tree.map(lambda spec: NamedSharding(self.mesh, spec), self.results)
        options = {} if results is None else {"out_shardings": results}
        with jax.set_mesh(self.mesh):
            return jax.jit(self.function, keep_unused=True, **options).lower(*inputs)
