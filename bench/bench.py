"""Measures weft and its peers on the same jobs, in alternation, and compares the figures with their targets."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from busy import busy_figures
from contestants import Contestant, importable_peers, weft
from figures import (Figure, Runs, captioner_figures, dynamic_figures, exported_figures, jax_figures, kernel_figures, limit_figures,
                     loss_figures, mode_figures, overlap_figures, program_figures, record_figures, sparse_figures,
                     speed_figures)
from gpu import GPU
from jobs import JOBS, Job
from mesh import mesh_figures

MICRO = {"kernels": kernel_figures, "record": record_figures, "overlap": overlap_figures, "programs": program_figures, "jax": jax_figures,
         "exported": exported_figures, "modes": mode_figures, "dynamic": dynamic_figures, "captioner": captioner_figures,
         "busy": busy_figures, "mesh": mesh_figures, "sparse": sparse_figures, **GPU}
NAMES = [*JOBS, *MICRO]
GROUPS = {"gpu": [*GPU]}


def main() -> None:
    flags = parse_flags()
    say = (lambda text: print(text, file=sys.stderr, flush=True)) if flags.json else (lambda text: print(text, flush=True))
    contestants = [weft(flags.build), *importable_peers(say)] if any(name in JOBS for name in flags.only) else []
    figures: list[Figure] = []
    runs: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
        speeds: dict[str, Runs] = {}
        for name in flags.only:
            if name in MICRO:
                figures += MICRO[name](flags.build, flags.quick, say)
                continue
            job = JOBS[name]
            directory = job.write(flags.build, Path(folder) / name, flags.quick)
            results = alternate(job, directory, contestants, flags.rounds or job.rounds, say)
            runs += [{"job": name, **result} for rounds in results.values() for result in rounds]
            if job.compares == "loss":
                figures += loss_figures(job, results)
            else:
                speeds[name] = results
                figures += limit_figures(flags.build, name, directory, results)
                say(table(results))
        figures += speed_figures(speeds)
    report(figures, runs, flags.json)


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__, epilog="names: " + ", ".join([*NAMES, *GROUPS]))
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a few steps, to check that everything runs; the figures mean nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object on the standard output")
    parser.add_argument("--only", metavar="NAME,...", type=lambda text: text.split(","), default=NAMES)
    parser.add_argument("--rounds", type=int, help="runs of each contestant; the best counts")
    flags = parser.parse_args()
    flags.only = [name for given in flags.only for name in GROUPS.get(given, [given])]
    if unknown := set(flags.only) - set(NAMES):
        parser.error(f"no figure is named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return flags


def alternate(job: Job, directory: Path, contestants: list[Contestant], rounds: int, say) -> Runs:
    """Runs every contestant once, then all again, so that a temporary disturbance of the machine affects all of them."""
    say(f"\n{job.name}: {job.describe(directory)}")
    results: Runs = {}
    for index in range(rounds):
        for contestant in contestants:
            result = contestant.run(directory)
            if "error" in result:
                say(f"  {contestant.name}: {result['error']}")
            else:
                say(f"  {contestant.name}, run {index + 1} of {rounds}: {result['step_ms_p50']:.1f} ms a step")
                results.setdefault(contestant.name, []).append(result)
    return results


def table(results: Runs) -> str:
    """Prints one line per contestant with its fastest run; ratios are weft's speed divided by the peer's."""
    rows = [("", "tokens/s", "ms a step", "start to first step", "peak memory", "weft is")]
    best = {name: min(rounds, key=lambda r: r["step_ms_p50"]) for name, rounds in results.items()}
    ours = best.get("weft")
    for name, run in best.items():
        ratio = f"{run['step_ms_p50'] / ours['step_ms_p50']:.2f} times as fast" if ours and name != "weft" else ""
        rows.append((name, f"{run['tokens_per_s']:,.0f}", f"{run['step_ms_p50']:.1f}",
                     f"{run['process_start_to_first_step_s']:.1f} s", f"{run['peak_rss_bytes'] / 2**20:,.0f} MiB", ratio))
    return aligned(rows)


def aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return "\n".join("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def report(figures: list[Figure], runs: list[dict], as_json: bool) -> None:
    if as_json:
        machine = {"cpus": len(os.sched_getaffinity(0)), "cpu": cpu_name(), "kernel": platform.release()}
        print(json.dumps({"machine": machine, "figures": [f.as_dict() for f in figures], "runs": runs}))
        return
    rows = [("figure", "measured", "target", "")]
    rows += [(f.name, f.shown(f.value), f"{f.sign} {f.shown(f.target)}", "met" if f.met else "missed") for f in figures]
    print("\n" + aligned(rows))


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
