"""The six ways in which a training step is divided among eight devices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jax.sharding import PartitionSpec


@dataclass(frozen=True)
class Layout:
    name: str
    mesh: dict[str, int]
    axes: dict[str, str]  # the axis that splits the dimensions of this name
    splits_state: bool = False  # also along "data": the optimizer's
    splits_parameters: bool = False
    is_hinted: bool = False  # with a constraint on the activations

    def spec(self, names: tuple[str | None, ...]) -> PartitionSpec:
        """Returns the sharding of a tensor whose dimensions have these names; each axis splits one dimension."""
        used: list[str | None] = []
        for name in names:
            axis = self.axes.get(name) if name else None
            used.append(None if axis in used else axis)
        return PartitionSpec(*used)

    def split_spec(self, shape: tuple[int, ...], names: tuple[str | None, ...]) -> PartitionSpec:
        """Returns the same, and the first other dimension whose size divides split along "data"."""
        spec = list(self.spec(names))
        if "data" not in spec:
            free = [d for d, axis in enumerate(spec) if axis is None and shape[d] % self.mesh["data"] == 0]
            if free:
                spec[free[0]] = "data"
        return PartitionSpec(*spec)

    def of_parameter(self, array: np.ndarray, names: tuple[str | None, ...]) -> PartitionSpec:
        return self.split_spec(array.shape, names) if self.splits_parameters else self.spec(names)

    def of_moment(self, array: np.ndarray, names: tuple[str | None, ...]) -> PartitionSpec:
        return self.split_spec(array.shape, names) if self.splits_state else self.spec(names)


BATCH = {"batch": "data"}
FEATURES = dict.fromkeys(("hidden", "heads", "rows", "experts"), "model")

LAYOUTS = (
    Layout("data", {"data": 8}, BATCH),
    Layout("zero1", {"data": 8}, BATCH, splits_state=True),
    Layout("fsdp", {"data": 8}, BATCH, splits_state=True, splits_parameters=True),
    Layout("tensor", {"model": 8}, FEATURES),
    Layout("fsdp_tensor", {"data": 4, "model": 2}, BATCH | FEATURES, splits_state=True, splits_parameters=True),
    Layout("sequence", {"model": 8}, FEATURES | {"sequence": "model"}, is_hinted=True),
)


def with_axes(name: str, mesh: dict[str, int], axes: dict[str, str]) -> Layout:
    """Returns the layout of this name with another mesh."""
    known = next(layout for layout in LAYOUTS if layout.name == name)
    return replace(known, mesh=mesh, axes=axes)
