"""Measures the cost of other programs on the machine: a step of each contestant alone, beside busy loops, and beside a parallel build."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

from contestants import Contestant, importable_peers, weft
from figures import Figure
from jobs import BUSY

LOOP = [sys.executable, "-c", "while True: pass"]
WARM_UP = 20  # steps; the first ones compile, and weft checks the load of the machine every tenth of a second


def share_left(loops: int) -> float:
    """Returns the share of the machine that a fair scheduler gives to as many threads as there are CPUs."""
    cpus = len(os.sched_getaffinity(0))
    return cpus / (cpus + loops)


@contextlib.contextmanager
def busy_loops(count: int):
    loops = [subprocess.Popen(LOOP) for _ in range(count)]
    try:
        time.sleep(1)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def parallel_build():
    """Keeps one compiler per CPU running; each ends within seconds, as in a build, and is then replaced."""
    with tempfile.TemporaryDirectory(prefix="weft-busy-") as folder:
        source = Path(folder) / "unit.cpp"
        source.write_text("#include <algorithm>\n#include <iostream>\n#include <map>\n#include <regex>\n#include <string>\n"
                          "int main() { std::regex r(\"a*b\"); std::cout << std::regex_match(\"aab\", r); }\n")
        compile_one = f"while :; do c++ -std=c++20 -O1 -c {source} -o /dev/null || exit; done"
        builds = [subprocess.Popen(["sh", "-c", compile_one], start_new_session=True)
                  for _ in os.sched_getaffinity(0)]
        try:
            time.sleep(1)
            yield
        finally:
            for build in builds:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(build.pid, 9)
                build.wait()


def step_ms(contestant: Contestant, directory: Path) -> float | None:
    """Returns the mean, because waiting concentrates in a few long steps that a median would hide."""
    result = contestant.run(directory)
    if "error" in result:
        return None
    steps = result["step_ms"]
    return mean(steps[min(WARM_UP, len(steps) // 2):])


def busy_figures(build: Path, quick: bool, say) -> list[Figure]:
    loads = {f"{n} busy loops": (n, lambda n=n: busy_loops(n)) for n in (0, 1, 2, 4)}
    loads["a parallel build"] = (len(os.sched_getaffinity(0)), parallel_build)
    contestants = [weft(build), *importable_peers(say)]
    times: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
        directory = BUSY.write(build, Path(folder) / "busy", quick)
        for load, (_, run_beside) in loads.items():
            for contestant in contestants:
                with run_beside():
                    rounds = [step_ms(contestant, directory) for _ in range(1 if quick else 2)]
                if all(rounds):
                    times.setdefault(contestant.name, {})[load] = min(rounds)
    figures = []
    for name, by_load in times.items():
        alone = by_load["0 busy loops"]
        say(f"  {name}: {alone:.2f} ms a step alone; " +
            ", ".join(f"{ms / alone:.2f} times as long beside {load}" for load, ms in by_load.items() if ms != alone))
    for load, (loops, _) in loads.items():
        if loops and load in times.get("weft", {}):
            ratio = times["weft"][load] / times["weft"]["0 busy loops"] * share_left(loops)
            figures.append(Figure(f"a step beside {load}, against the share of the machine that is left", ratio, "<=", 1.3, "times"))
    return figures
