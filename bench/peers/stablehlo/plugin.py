"""Runs JAX functions and models on weft's plugin, unchanged, and compares them with JAX's own CPU backend.

A program that JAX or weft refuses is counted and named with the reason. Exits with 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--plugin", type=Path, required=True, metavar="LIBRARY", help="build/release/lib/libweft_pjrt.so")
parser.add_argument("--size", default="tiny", help="size of the models: tiny, small or bench")
parser.add_argument("--only", metavar="TEXT", default="", help="run only programs whose names contain TEXT")
parser.add_argument("--every", type=int, default=1, metavar="N", help="run every N-th program")
FLAGS = parser.parse_args()
os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"weft:{FLAGS.plugin.resolve()}"
os.environ["JAX_PLATFORMS"] = "weft,cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from functions import functions  # noqa: E402
from models import MODELS  # noqa: E402
from program import Program, results_of  # noqa: E402


def wrong_with(program: Program, weft: jax.Device, cpu: jax.Device) -> tuple[bool, str | None]:
    """Returns whether the program was refused, and what is wrong with it."""
    with program.mode(), jax.default_device(cpu):
        results = results_of(program, program.lowered().as_text())
    try:
        with program.mode(), jax.default_device(weft):
            values = jax.tree.leaves(jax.jit(program.function)(*jax.device_put(program.inputs, weft)))
            values = [np.asarray(value) for value in values]
    except Exception as refused:  # noqa: BLE001: JAX and the plugin throw several classes
        return True, str(refused).splitlines()[0]
    for i, (result, value) in enumerate(zip(results, values, strict=True)):
        if wrong := result.difference(value):
            return False, f"result {i}: {wrong}"
    return False, None


def main() -> None:
    weft, cpu = jax.devices("weft")[0], jax.devices("cpu")[0]
    programs = [*functions(), *(model(FLAGS.size) for model in MODELS.values())]
    chosen = [program for program in programs if FLAGS.only in program.name][::FLAGS.every]
    refused = failed = 0
    for program in chosen:
        is_refused, wrong = wrong_with(program, weft, cpu)
        jax.clear_caches()  # the compiled programs of all of them would not fit in memory
        refused += is_refused
        failed += wrong is not None and not is_refused
        if wrong:
            print(f"{program.name}: {'refused: ' if is_refused else ''}{wrong}", flush=True)
    print(f"{len(chosen)} programs: {len(chosen) - refused - failed} agree with JAX on the CPU, {refused} are refused, "
          f"{failed} are wrong")
    sys.exit(1 if failed or refused == len(chosen) else 0)


if __name__ == "__main__":
    main()
