"""Times a model under jax.jit that donates its state from step to step. Prints one JSON object."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(1, str(Path(__file__).parent.parent))

import jax  # noqa: E402
from job import limit_threads  # noqa: E402
from models import MODELS, SIZES  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=list(MODELS), required=True)
    parser.add_argument("--size", choices=SIZES, default="bench")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    flags = parser.parse_args()
    limit_threads(flags.threads)
    program = MODELS[flags.model](flags.size)
    inputs = list(jax.tree.map(jax.numpy.asarray, tuple(program.inputs)))
    lowered = program.lowered()
    start = time.perf_counter()
    step = lowered.compile()
    compile_ms = 1e3 * (time.perf_counter() - start)
    run_ms = []
    for _ in range(flags.repeat):
        start = time.perf_counter()
        results = jax.block_until_ready(step(*inputs))
        run_ms.append(1e3 * (time.perf_counter() - start))
        for i in program.donated:
            inputs[i] = results[i]
    print(json.dumps({"jax": jax.__version__, "compile_ms": compile_ms, "run_ms": run_ms}))


if __name__ == "__main__":
    main()
