"""Exports models from JAX, each into a folder: program.mlir, inputs.npz, JAX's results.npz and their tolerances.json.

weft run DIR/MODEL/program.mlir --input DIR/MODEL/inputs.npz computes the same.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from models import MODELS, SIZES  # noqa: E402
from program import write  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=list(MODELS), nargs="+", default=list(MODELS), help="default: all models")
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    flags = parser.parse_args()
    for name in flags.model:
        folder = flags.output / name
        results = write(MODELS[name](flags.size), folder)
        print(f"{folder}: {len(results)} results")


if __name__ == "__main__":
    main()
