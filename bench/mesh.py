"""What a training step sends between eight devices, in several layouts: weft's division of a program against XLA's."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path

from figures import PEERS, PYTHON, Figure

DEVICES = 8
WIDTHS = {"i1": 1, "pred": 1, "i32": 4, "ui32": 4, "s32": 4, "u32": 4, "f32": 4}
TARGETS = {"data": 0.88, "zero1": 0.61, "fsdp": 0.59, "tensor": 0.67}


def mesh_figures(build: Path, quick: bool, say) -> list[Figure]:
    if subprocess.run([PYTHON, "-c", "import jax"], capture_output=True).returncode != 0:
        say(f"mesh: left out, {PYTHON} cannot import jax")
        return []
    say(f"\nmesh: a decoder's training step on {DEVICES} devices, exported by JAX")
    figures = []
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as name:
        folder = Path(name)
        export(folder, "tiny" if quick else "bench")
        for layout, target in TARGETS.items():
            divided = run(build, "opt", folder / f"{layout}.mlir", "--partition")
            ours, theirs = sent_by_weft(divided), sent_by_xla((folder / f"{layout}.hlo").read_text())
            say(f"  {layout}: weft sends {1e-6 * ours:.2f} MB from each device, XLA {1e-6 * theirs:.2f} MB")
            figures.append(Figure(f"mesh, {layout}: bytes sent against XLA", ours / theirs, "<=", target, "times"))
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as name:
        folder = Path(name)
        export(folder, "tiny")
        for layout in TARGETS:
            worst = difference(build, folder, layout)
            figures.append(Figure(f"mesh, {layout}: difference from one device", worst, "<=", 1e-4, "times"))
    return figures


def export(folder: Path, size: str) -> None:
    subprocess.run([PYTHON, PEERS / "mesh_jax.py", "--size", size, "--output", folder], check=True, stdout=subprocess.DEVNULL)


def run(build: Path, *arguments) -> str:
    return subprocess.run([build / "bin/weft", *arguments], check=True, capture_output=True, text=True).stdout


def difference(build: Path, folder: Path, layout: str) -> float:
    """Returns the largest relative difference between the results of eight devices and of one."""
    for name, options in (("one", ()), ("mesh", ("--devices", str(DEVICES)))):
        run(build, "run", folder / f"{layout}.mlir", "--random", "1", "--interpret", "--output", folder / layout / name, *options)
    compare = ("import glob, json, numpy, sys\n"
               "pairs = [(numpy.load(f'{sys.argv[1]}/one/result{i}.npy'), numpy.load(f'{sys.argv[1]}/mesh/result{i}.npy'))\n"
               "         for i in range(len(glob.glob(f'{sys.argv[1]}/one/*.npy')))]\n"
               "print(json.dumps(max(float(numpy.max(numpy.abs(a - b) / (1e-3 + numpy.abs(a)))) for a, b in pairs)))")
    done = subprocess.run([PYTHON, "-c", compare, folder / layout], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def bytes_of(sizes: list[str], dtype: str) -> int:
    total = WIDTHS[dtype]
    for size in sizes:
        total *= int(size)
    return total


def sent(kind: str, largest: float) -> float:
    """Returns the bytes that a device sends in a ring; `largest` are those of the operand or the result, whichever has more."""
    return (2 if kind == "all-reduce" else 1) * (DEVICES - 1) / DEVICES * largest


def sent_by_weft(program: str) -> float:
    total = 0.0
    collective = r'"stablehlo\.(all_reduce|reduce_scatter|all_gather|all_to_all)".*?(?:\}\)|\}>) : \(tensor<([^>]*)>\) -> tensor<([^>]*)>'
    for kind, *types in re.findall(collective, program, re.S):
        total += sent(kind.replace("_", "-"), max(bytes_of(text.split("x")[:-1], text.split("x")[-1]) for text in types))
    return total


def sent_by_xla(program: str) -> float:
    total = 0.0
    for line in program.splitlines():
        found = re.search(r"= (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)\(", line)
        if not found:
            continue
        results = sum(bytes_of([n for n in sizes.split(",") if n], dtype) for dtype, sizes in re.findall(r"(\w+)\[([\d,]*)\]", found[1]))
        if found[2] == "collective-permute":
            total += results
        else:
            total += sent(found[2], results * (DEVICES if found[2] == "reduce-scatter" else 1))
    return total
