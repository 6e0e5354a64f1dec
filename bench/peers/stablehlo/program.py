"""A JAX function with its inputs, and its export to files: StableHLO text, inputs, JAX's results and their tolerances."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

FLOATS = {np.dtype(t): ml_dtypes.finfo(t) for t in ("float16", ml_dtypes.bfloat16, "float32", "float64")}
FLOATS |= {np.dtype("complex64"): FLOATS[np.dtype("float32")], np.dtype("complex128"): FLOATS[np.dtype("float64")]}
TEXT_FLOATS = {"f16": "float16", "bf16": ml_dtypes.bfloat16, "f32": "float32", "f64": "float64"}


@dataclass(frozen=True)
class Program:
    name: str
    function: Callable[..., Any]  # takes arrays; its result is flattened
    inputs: Sequence[Any]  # pytrees of arrays; flattened too
    donated: tuple[int, ...] = ()
    x64: bool = False

    def mode(self):
        return jax.enable_x64(True) if self.x64 else nullcontext()

    def lowered(self):
        """Lowers the function and keeps unused inputs, so that inputs and arguments correspond."""
        return jax.jit(self.function, donate_argnums=self.donated, keep_unused=True).lower(*self.inputs)

    def flat_inputs(self) -> list[np.ndarray]:
        return [np.asarray(leaf) for leaf in jax.tree.leaves(self.inputs)]


@dataclass(frozen=True)
class Result:
    """A result of JAX. A value is correct if it differs by at most `absolute` + `relative` * |result|."""

    value: np.ndarray
    absolute: float
    relative: float

    def difference(self, other: np.ndarray) -> str | None:
        """Returns where `other` differs from this result, or None."""
        value = self.value
        if other.dtype.kind == "V" and other.dtype.itemsize == value.dtype.itemsize:
            other = other.view(value.dtype)  # files of NumPy have no bf16
        if other.shape != value.shape or other.dtype != value.dtype:
            return f"is {other.dtype}{list(other.shape)}, JAX gives {value.dtype}{list(value.shape)}"
        if value.dtype not in FLOATS:
            wrong = np.not_equal(value, other)
            excess = wrong.astype(np.float64)
        else:
            theirs, ours = as_parts(value), as_parts(other)
            size = np.abs(value.astype(np.complex128)).reshape(theirs.shape[0], 1)  # complex numbers are compared by magnitude
            with np.errstate(invalid="ignore"):
                excess = np.abs(ours - theirs) - (self.absolute + self.relative * size)
            same = (theirs == ours) | (np.isnan(theirs) & np.isnan(ours))
            wrong = (~same & ~(excess <= 0)).any(axis=1).reshape(value.shape)
        if not wrong.any():
            return None
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        return (f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(place)}: {other[place]} and JAX's "
                f"{value[place]} (absolute {self.absolute:.2g}, relative {self.relative:.2g})")


def narrowest_float(text: str) -> np.dtype | None:
    """Returns the least precise floating-point dtype in which a program computes."""
    used = [np.dtype(name) for short, name in TEXT_FLOATS.items() if re.search(rf"[<x]{short}>", text)]
    return max(used, key=lambda dtype: FLOATS[dtype].eps, default=None)


def as_parts(value: np.ndarray) -> np.ndarray:
    """Returns a row for each element: the number, or its real and imaginary parts."""
    parts = [value.real, value.imag] if value.dtype.kind == "c" else [value]
    return np.stack([part.astype(np.float64).ravel() for part in parts], axis=1)


def nudged(value: np.ndarray, eps: float, generator: np.random.Generator) -> np.ndarray:
    """Returns every number rounded differently: one eps up or down."""
    if value.dtype not in FLOATS:
        return value
    factor = 1 + eps * generator.choice((-1.0, 1.0), value.shape)
    if value.dtype.kind == "c":
        with np.errstate(invalid="ignore"):
            return np.asarray(value * factor).astype(value.dtype)
    return np.asarray(value.astype(np.float64) * factor).astype(value.dtype)


def results_of(program: Program, text: str, draws: int = 3) -> list[Result]:
    """Returns JAX's results, with tolerances derived from the program itself: 8 times the change of the results when the inputs are
    rounded differently in its least precise dtype, plus 16 roundings of each element."""
    with program.mode():
        function = jax.jit(program.function)
        values = [np.asarray(leaf) for leaf in jax.tree.leaves(function(*program.inputs))]
        narrow = narrowest_float(text)
        if narrow is None:
            return [Result(value, 0, 0) for value in values]
        eps = max(float(FLOATS[narrow].eps), float(np.finfo(np.float32).eps) if narrow != np.float64 else 0)
        generator = np.random.default_rng(0)
        spreads = [0.0] * len(values)
        for _ in range(draws):
            moved = jax.tree.map(lambda leaf: nudged(np.asarray(leaf), eps, generator), program.inputs)
            for i, other in enumerate(jax.tree.leaves(function(*moved))):
                if values[i].dtype not in FLOATS or values[i].size == 0:
                    continue
                with np.errstate(invalid="ignore"):
                    spread = np.abs(as_parts(np.asarray(other)) - as_parts(values[i]))
                spreads[i] = max(spreads[i], float(np.max(spread, where=np.isfinite(spread), initial=0)))
    return [Result(value, 8 * spread, 16 * max(eps, float(FLOATS[value.dtype].eps))) if value.dtype in FLOATS
            else Result(value, 0, 0) for value, spread in zip(values, spreads, strict=True)]


def write(program: Program, folder: Path) -> list[Result]:
    """Writes program.mlir, inputs.npz, results.npz, and tolerances.json: [absolute, relative] for each result."""
    folder.mkdir(parents=True, exist_ok=True)
    with program.mode():
        text = program.lowered().as_text()
    (folder / "program.mlir").write_text(text)
    np.savez(folder / "inputs.npz", *program.flat_inputs())
    results = results_of(program, text)
    np.savez(folder / "results.npz", *(result.value for result in results))
    tolerances = [[float(f"{result.absolute:.3g}"), float(f"{result.relative:.3g}")] for result in results]
    (folder / "tolerances.json").write_text(json.dumps(tolerances) + "\n")
    return results
