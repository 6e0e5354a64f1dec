"""Shared by the peers: reading a job, and printing one JSON object."""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

WARM_UP_STEPS = 3


@dataclass(frozen=True)
class Config:
    """`config.json` of a job, field by field."""

    layers: int
    width: int
    heads: int
    context: int
    batch: int
    vocab: int
    tied: bool
    steps: int
    lr: Sequence[float]
    betas: Sequence[float]
    eps: float
    weight_decay: float
    clip: float
    dtype: str
    threads: int

    def __post_init__(self) -> None:
        if self.dtype not in ("f32", "f64", "bf16"):
            raise ValueError(f"dtype must be f32, f64 or bf16, not {self.dtype}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} does not divide into {self.heads} heads")
        if len(self.lr) != self.steps:
            raise ValueError(f"lr has {len(self.lr)} entries for {self.steps} steps")


def read_config(directory: Path) -> Config:
    return Config(**json.loads((directory / "config.json").read_text()))


def job_parser(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--job", type=Path, required=True, metavar="DIR", help="the job to run, see README.md")
    return parser


def limit_threads(threads: int) -> None:
    """Call before the first computation, which starts the frameworks' threads.

    The affinity mask also limits the compiling threads, and those of libraries that read no variable.
    """
    os.environ["PJRT_NPROC"] = str(threads)
    cpus = _spread_over_cores(sorted(os.sched_getaffinity(0)))
    os.sched_setaffinity(0, cpus[:threads])


def _spread_over_cores(cpus: list[int]) -> list[int]:
    """Returns the CPUs, one of each physical core first, so that a few threads do not share a core."""
    siblings_before: Counter[str] = Counter()
    ranked = []
    for cpu in cpus:
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        core = " ".join((topology / name).read_text() for name in ("physical_package_id", "core_id"))
        ranked.append((siblings_before[core], cpu))
        siblings_before[core] += 1
    return [cpu for _, cpu in sorted(ranked)]


def run_job(
    peer: str, version: str, config: Config, step: Callable[[int], float], settings: dict[str, str] | None = None
) -> None:
    """Runs the job with `step(index)`, which trains one step and returns its loss; times the steps and prints the JSON object."""
    losses: list[float] = []
    seconds: list[float] = []
    for index in range(config.steps):
        start = time.perf_counter()
        losses.append(step(index))
        seconds.append(time.perf_counter() - start)
        if index == 0:
            process_start_to_first_step = _process_age()
    median = statistics.median(seconds[WARM_UP_STEPS:] or seconds[-1:])
    result = {
        "peer": peer,
        "version": version,
        "losses": losses,
        "step_ms": [1e3 * value for value in seconds],
        "tokens_per_s": config.batch * config.context / median,
        "step_ms_p50": 1e3 * median,
        "first_step_s": seconds[0],
        "peak_rss_bytes": _peak_rss_bytes(),
        "process_start_to_first_step_s": process_start_to_first_step,
        "settings": settings or {},
    }
    print(json.dumps(result))


def _process_age() -> float:
    """Returns the seconds since the kernel started this process, so that the interpreter and its imports count."""
    start_ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - start_ticks / os.sysconf("SC_CLK_TCK")


def _peak_rss_bytes() -> int:
    """Returns VmHWM if it exists, because ru_maxrss survives exec and may be the peak of the process that started this one."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
