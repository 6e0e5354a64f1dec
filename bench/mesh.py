"""What a training step sends between eight devices, in several layouts: weft's division of a program against XLA's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from figures import PEERS, PYTHON, Figure

TARGETS = {"data": 0.88, "zero1": 0.61, "fsdp": 0.59, "tensor": 0.67}


def mesh_figures(build: Path, quick: bool, say) -> list[Figure]:
    if subprocess.run([PYTHON, "-c", "import jax"], capture_output=True).returncode != 0:
        say(f"mesh: left out, {PYTHON} cannot import jax")
        return []
    say("\nmesh: a decoder's training step on eight devices, exported by JAX")
    check = [PYTHON, PEERS / "stablehlo/mesh.py", "--weft", build / "bin/weft", "--only", "lm-", "--json"]
    size = "tiny" if quick else "bench"
    done = subprocess.run([*check, "--size", size], capture_output=True, text=True)
    figures = []
    for case in json.loads(done.stdout):
        layout, target = case["layout"], TARGETS.get(case["layout"], 1.0)
        if case["wrong"]:
            say(f"  {layout}: {case['wrong']}")
        figures.append(Figure(f"mesh, {layout}: results that differ from one device", float(bool(case["wrong"])), "<=", 0, "programs"))
        if case["weft"]:
            ours, theirs = (case[name]["bytes"] for name in ("weft", "xla"))
            say(f"  {layout}: weft sends {1e-6 * ours:.2f} MB from each device, XLA {1e-6 * theirs:.2f} MB")
            figures.append(Figure(f"mesh, {layout}: bytes sent against XLA", ours / theirs, "<=", target, "times"))
    return figures
