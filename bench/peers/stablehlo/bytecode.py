"""Lets JAX read and run the bytecode that weft writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
from command import call
from jax._src import compiler
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from program import Program, Result

TARGETS = ("0.9", "1.0", "1.10", ".".join(stablehlo.get_current_version().split(".")[:2]))


def as_real(values: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the arguments of a program that weft has read: complex numbers are two arguments."""
    return [part for value in values for part in ((value.real, value.imag) if value.dtype.kind == "c" else (value,))]


def joined(parts: list[np.ndarray], results: list[Result]) -> list[np.ndarray]:
    """Returns the results of the program, in which weft has made two of each complex one."""
    left = iter(parts)
    return [(next(left) + 1j * next(left)).astype(result.value.dtype) if result.value.dtype.kind == "c" else next(left)
            for result in results]


def read(artifact: bytes) -> str:
    """Returns the program in a portable artifact, as JAX reads it."""
    with jax_mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        module.operation.verify()
        return str(module)


def run(text: str, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Compiles a program with XLA, and runs it."""
    device = jax.devices("cpu")[0]
    with jax_mlir.make_ir_context():
        executable = compiler.backend_compile_and_load(device.client, ir.Module.parse(text),
                                                       xla_client.DeviceList((device,)),
                                                       compiler.get_compile_options(1, 1), [])
    results = executable.execute_sharded([jax.device_put(value, device) for value in inputs])
    return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def miswritten(weft: Path, program: Program, folder: Path, results: list[Result]) -> Iterator[str]:
    """Tells where what JAX computes from weft's bytecode of several versions differs from the program's own results.

    Versions in which JAX reads the same program are run once.
    """
    known = set()
    for target in TARGETS:
        file = folder / f"program.{target}.mlir.bc"
        _, wrong = call(weft, "opt", folder / "program.mlir", "--output", file, "--target", target)
        if wrong:
            is_too_old = "only since StableHLO" in wrong and target != TARGETS[-1]
            if not is_too_old and "StableHLO has no such operation" not in wrong:
                yield f"bytecode of {target}: {wrong}"
            continue
        try:
            text = read(file.read_bytes())
            if text in known:
                continue
            known.add(text)
            with program.mode():
                given = joined(run(text, as_real(program.flat_inputs())), results)
        except Exception as failure:  # noqa: BLE001: whatever JAX refuses is told with the program's name
            yield f"bytecode of {target}: JAX refuses it: {str(failure).splitlines()[0]}"
            continue
        for i, result in enumerate(results):
            if wrong := result.difference(given[i]):
                yield f"bytecode of {target}, result {i}: {wrong}"
                break
