"""Exports JAX functions and models as StableHLO text, runs each with weft, compiled and interpreted, and compares with JAX.

weft reads the text in every form that MLIR prints: pretty, generic, and with locations. It also writes each program as bytecode of several
versions of StableHLO, which JAX reads and runs. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
from bytecode import miswritten  # noqa: E402
from command import call  # noqa: E402
from functions import functions  # noqa: E402
from models import MODELS, SIZES  # noqa: E402
from program import Program, Result, write  # noqa: E402

MODES = {"compiled": (), "interpreted": ("--interpret",)}


def differences(weft: Path, folder: Path, results: list[Result]) -> Iterator[str]:
    for mode, flags in MODES.items():
        out = folder / mode
        _, wrong = call(weft, "run", folder / "program.mlir", "--input", folder / "inputs.npz", "--output", out, *flags)
        if wrong:
            yield f"{mode}: {wrong}"
            continue
        for i, result in enumerate(results):
            if wrong := result.difference(np.load(out / f"result{i}.npy")):
                yield f"{mode}, result {i}: {wrong}"
                break


def forms(program: Program, folder: Path) -> Iterator[tuple[str, Path]]:
    with program.mode():
        operation = program.lowered().compiler_ir("stablehlo").operation
    for name, flags in (("generic", {"print_generic_op_form": True}), ("located", {"enable_debug_info": True})):
        file = folder / f"{name}.mlir"
        file.write_text(operation.get_asm(**flags))
        yield name, file


def misread(weft: Path, program: Program, folder: Path) -> Iterator[str]:
    reading, wrong = call(weft, "opt", folder / "program.mlir")
    if wrong:
        return
    for name, file in forms(program, folder):
        other, wrong = call(weft, "opt", file)
        if wrong or other != reading:
            yield f"{name} form: {wrong or 'another program is read'}"


def check(weft: Path, program: Program, folder: Path) -> list[str]:
    try:
        results = write(program, folder)
    except Exception as failure:  # noqa: BLE001: whatever JAX refuses is a mistake of the program's, told with its name
        return [f"not exported: {failure}"]
    return [*differences(weft, folder, results), *misread(weft, program, folder), *miswritten(weft, program, folder, results)]


def programs(size: str) -> Iterator[Program]:
    yield from functions()
    for model in MODELS.values():
        yield model(size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", type=Path, required=True, metavar="PROGRAM", help="build/release/bin/weft")
    parser.add_argument("--size", choices=SIZES, default="tiny", help="size of the models")
    parser.add_argument("--only", metavar="TEXT", default="", help="run only programs whose names contain TEXT")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run every N-th program")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the files in DIR")
    flags = parser.parse_args()
    chosen = [program for program in programs(flags.size) if flags.only in program.name][::flags.every]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="weft-jax-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        root = flags.keep or Path(folder)
        for program, wrong in zip(chosen, pool.map(lambda p: check(flags.weft, p, root / p.name), chosen)):
            failed += bool(wrong)
            for line in wrong:
                print(f"{program.name}: {line}", flush=True)
    print(f"{len(chosen)} programs: {len(chosen) - failed} agree with JAX, {failed} do not")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
