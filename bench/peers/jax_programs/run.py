"""Runs varied JAX programs, unchanged, on weft's plugin and on JAX's own CPU backend, in turns, and compares times and results.

Each backend has a process of its own. A program is compiled once there (tracing is not counted), then each process runs it in every
round, and its fastest call counts. At the end a second process compiles all programs with the cache of the first.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PYTHON_MODULES = HERE.parents[2] / "python"


def main() -> None:
    flags = parse_flags()
    if flags.serve:
        serve(flags.serve)
        return
    with tempfile.TemporaryDirectory(prefix="weft-jax-programs-") as folder:
        result = measure(flags, Path(folder))
    if flags.json:
        print(json.dumps(result))
    else:
        summary = {key: value for key, value in result.items() if key != "programs"}
        print("\n" + "\n".join(f"{key.replace('_', ' ')}: {value}" for key, value in summary.items()))
    sys.exit(1 if result["different"] or result["failed"] else 0)


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=Path, metavar="LIBRARY", help="build/release/lib/libweft_pjrt.so")
    parser.add_argument("--only", type=re.compile, default="", metavar="REGEX", help="only programs whose name contains REGEX")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object on the standard output")
    parser.add_argument("--serve", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    flags = parser.parse_args()
    if not flags.serve and not flags.plugin:
        parser.error("--plugin is missing")
    return flags


class Backend:
    """A process that compiles and runs programs on one backend."""

    def __init__(self, name: str, folder: Path, plugin: Path):
        environment = {**os.environ, "JAX_PLATFORMS": name, "PYTHONPATH": str(PYTHON_MODULES)}
        if name == "weft":
            environment |= {"WEFT_JAX_LIBRARY": str(plugin.resolve()), "WEFT_CACHE_DIR": str(folder / "cache")}
        self.folder = folder / name
        self.folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", self.folder], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask()

    def ask(self, **request) -> dict:
        if request:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else {"error": f"the process ended with code {self.process.wait()}"}

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measure(flags: argparse.Namespace, folder: Path) -> dict:
    cpu, weft = Backend("cpu", folder, flags.plugin), Backend("weft", folder, flags.plugin)
    say = lambda text: print(text, file=sys.stderr if flags.json else sys.stdout, flush=True)
    say(f"{'':30}{'XLA':>10}{'weft':>10}   ratio{'compile':>11}{'weft':>8} ms")
    tolerances = {name: most for name, most in weft.ask(list=True)["tolerances"].items() if re.search(flags.only, name)}
    programs, different, failed = [], [], []
    for name, tolerance in tolerances.items():
        answers = [backend.ask(compile=name) for backend in (cpu, weft)]
        if error := next((answer["error"] for answer in answers if "error" in answer), None):
            say(f"{name:30}{error.splitlines()[0]}")
            failed.append(name)
            continue
        runs = [[backend.ask(run=name)["ms"] for backend in (cpu, weft)] for _ in range(flags.rounds)]
        cpu_ms, weft_ms = (min(times) for times in zip(*runs))
        row = {"name": name, "cpu_ms": cpu_ms, "weft_ms": weft_ms, "ratio": cpu_ms / weft_ms,
               "cpu_compile_ms": answers[0]["ms"], "weft_compile_ms": answers[1]["ms"],
               "difference": largest_difference(cpu.folder / f"{name}.npz", weft.folder / f"{name}.npz")}
        programs.append(row)
        note = ""
        if not row["difference"] <= tolerance:
            different.append(name)
            note = f"  results differ by {row['difference']:.1e}"
        say(f"{name:30}{cpu_ms:10.3f}{weft_ms:10.3f}{row['ratio']:8.2f}{answers[0]['ms']:11.0f}{answers[1]['ms']:8.0f}{note}")
    weft.close()
    again = Backend("weft", folder, flags.plugin)
    second = sum(again.ask(compile=row["name"])["ms"] for row in programs)
    again.close()
    cpu.close()
    compile_ms = sum(row["cpu_compile_ms"] for row in programs)
    return {"programs": programs, "different": different, "failed": failed,
            "geometric_mean": math.exp(sum(math.log(row["ratio"]) for row in programs) / len(programs)),
            "slowest": min(row["ratio"] for row in programs),
            "compile_cold": sum(row["weft_compile_ms"] for row in programs) / compile_ms, "compile_again": second / compile_ms}


def largest_difference(expected: Path, actual: Path) -> float:
    """Returns the difference between two lists of results, the largest share that a difference has of a result, both as lengths of vectors."""
    worst = 0.0
    with np.load(expected) as left, np.load(actual) as right:
        for name in left.files:
            a, b = left[name], right[name]
            if a.shape != b.shape or a.dtype != b.dtype:
                return math.inf
            a, b = (x.astype(np.complex128 if np.iscomplexobj(x) else np.float64) for x in (a, b))
            if not np.array_equal(np.isfinite(a), np.isfinite(b)):
                return math.inf
            a, b = a[np.isfinite(a)], b[np.isfinite(b)]
            worst = max(worst, np.linalg.norm(a - b) / max(np.linalg.norm(a), 1e-6))
    return float(worst)


def serve(folder: Path) -> None:
    """Answers requests of the standard input, one JSON object in each line."""
    import jax

    if os.environ["JAX_PLATFORMS"] == "weft":
        import weft_jax

        weft_jax.initialize()
    for file in sorted(HERE.glob("*.py")):
        if file.stem not in ("run", "program"):
            __import__(file.stem)
    from program import PROGRAMS, TOLERANCES

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    compiled = {}

    def compile(name: str) -> dict:
        compiled.clear()
        function, arguments = PROGRAMS[name]()
        arguments = jax.device_put(arguments)
        lowered = jax.jit(function).lower(*arguments)
        start = time.perf_counter()
        run = lowered.compile()
        ms = 1e3 * (time.perf_counter() - start)
        results = jax.block_until_ready(run(*arguments))
        np.savez(folder / f"{name}.npz", *[np.asarray(x) for x in jax.tree.leaves(results)])
        compiled[name] = run, arguments
        return {"ms": ms}

    def run(name: str) -> dict:
        function, arguments = compiled[name]
        times: list[float] = []
        while len(times) < 5 or sum(times) < 0.3:
            start = time.perf_counter()
            jax.block_until_ready(function(*arguments))
            times.append(time.perf_counter() - start)
        return {"ms": 1e3 * min(times)}

    def answer(value: dict) -> None:
        print(json.dumps(value), file=answers, flush=True)

    answer({})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "list" in request:
                answer({"tolerances": TOLERANCES})
            elif "compile" in request:
                answer(compile(request["compile"]))
            else:
                answer(run(request["run"]))
        except Exception as error:  # noqa: BLE001: JAX and the plugin throw several classes
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
