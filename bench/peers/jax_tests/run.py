"""Runs JAX's own test files on weft's plugin, and on JAX's own CPU backend for comparison.

Each file's tests run in a worker process; a test that takes longer than the deadline, or that ends the process, fails alone. Prints a table
and each test that only weft fails, with the kind of its failure:

  wrong     a value differs from what the test expects, by more than its tolerance
  refused   JAX or weft says that it does not support something
  message   the test expects an error with another text, or of another class
  deadline  the test takes too long
  crash     the process ends
  other     anything else

tests/jax/passing.txt names the tests that pass on weft. Exits with 1 if one of them that ran does not pass.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PASSING = HERE.parents[2] / "tests/jax/passing.txt"
FILES = [
    "lax_test", "lax_numpy_test", "lax_numpy_operators_test", "lax_numpy_reducers_test", "lax_numpy_indexing_test",
    "lax_numpy_einsum_test", "lax_numpy_ufuncs_test", "lax_numpy_setops_test", "lax_numpy_vectorize_test", "lax_autodiff_test",
    "lax_control_flow_test", "lax_vmap_test", "lax_vmap_op_test", "lax_scipy_test", "lax_scipy_special_functions_test",
    "linalg_test", "svd_test", "api_test", "array_test", "batching_test", "custom_api_test", "custom_linear_solve_test",
    "debug_nans_test", "dtypes_test", "fft_test", "image_test", "jet_test", "nn_test", "ode_test", "python_callback_test",
    "random_lax_test", "random_test", "scipy_fft_test", "scipy_stats_test", "stax_test", "multi_device_test", "pjit_test",
    "pmap_test", "shard_map_test", "ann_test", "aot_test", "array_interoperability_test", "async_collectives_test",
    "buffer_callback_test", "checkify_test", "cholesky_update_test", "compilation_cache_test", "custom_partitioning_test",
    "debugging_primitives_test", "eigh_test", "error_check_test", "experimental_rnn_test", "export_test", "ffi_test",
    "generated_fun_test", "hijax_test", "jaxpr_effects_test", "key_reuse_test", "lax_scipy_sparse_test",
    "lax_scipy_spectral_dac_test", "layout_test", "linalg_sharding_test", "lobpcg_test", "memories_test", "mutable_array_test",
    "optimizers_test", "pickle_test", "polynomial_test", "qdwh_test", "random_impl_test", "roofline_test", "scaled_dot_test",
    "scipy_interpolate_test", "scipy_ndimage_test", "scipy_optimize_test", "scipy_signal_test", "scipy_spatial_test",
    "shape_poly_test", "shard_alike_test", "sparse_bcoo_bcsr_test", "sparse_test", "sparsify_test", "state_test",
    "stateful_rng_test", "string_array_test", "x64_context_test", "xla_metadata_test",
]  # fmt: skip
RESTART = 300  # tests after which a worker process ends, to give its memory back


class Worker:
    """A process that runs the tests of one file on one backend."""

    def __init__(self, file: str, backend: str, flags: argparse.Namespace) -> None:
        env = dict(os.environ, JAX_PLATFORMS=backend)
        if backend != "cpu":
            env |= flags.weft_variables
        command = [sys.executable, str(HERE / "worker.py"), "--jax", str(flags.jax), file]
        log = open(flags.log, "a") if flags.log else subprocess.DEVNULL  # noqa: SIM115: the process writes it
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.rest = b""
        self.left = RESTART
        self.ready = self.line(300) == "ready"

    def line(self, seconds: float) -> str | None:
        """Returns the next line of the process; None if it ends or none comes in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def run(self, test: str, seconds: float) -> dict[str, str]:
        self.left -= 1
        try:
            self.process.stdin.write(f"{test}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"outcome": "failed", "kind": "crash", "text": "the process had ended"}
        if line := self.line(seconds):
            return json.loads(line)
        self.left = 0
        if self.process.poll() is None and b"" == self.rest:
            try:
                self.process.wait(1)  # a process that ends has closed its output already
            except subprocess.TimeoutExpired:
                return {"outcome": "failed", "kind": "deadline", "text": f"no result after {seconds:.0f} s"}
        return {"outcome": "failed", "kind": "crash", "text": f"the process ended with {self.process.returncode}"}

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


REFUSED = re.compile(r"UNIMPLEMENTED|NotImplementedError|not supported|is not implemented|no such function")
WRONG = re.compile(r"Mismatched elements|Not equal to tolerance|Arrays are not equal|not almost equal|[Dd]iffer")
MESSAGE = re.compile(r"does not match|not raised|AssertionError: .*Regex|not found in")


def kind_of(text: str) -> str:
    last = text.rstrip().splitlines()
    error = next((line for line in reversed(last) if re.match(r"^[\w.]*(Error|Exception|Failure)\b", line)), last[-1])
    if WRONG.search(text) and "AssertionError" in text:
        return "wrong"
    if MESSAGE.search(text) and "AssertionError" in text:
        return "message"
    if REFUSED.search(text):
        return "refused"
    return "message" if "AssertionError" in error and "Error" in text.replace("AssertionError", "") else "other"


def run_file(file: str, tests: list[str], backend: str, flags: argparse.Namespace) -> dict[str, dict[str, str]]:
    results: dict[str, dict[str, str]] = {}
    worker = None
    for test in tests:
        if worker is None or worker.left == 0:
            if worker:
                worker.end()
            worker = Worker(file, backend, flags)
        results[test] = worker.run(test, flags.deadline) if worker.ready else {
            "outcome": "failed", "kind": "crash", "text": "the test file cannot be loaded"}  # fmt: skip
    if worker:
        worker.end()
    for result in results.values():
        if result["outcome"] == "failed":
            result.setdefault("kind", kind_of(result["text"]))
    return results


def tests_in(file: str, flags: argparse.Namespace) -> list[str]:
    command = [sys.executable, str(HERE / "worker.py"), "--jax", str(flags.jax), "--list", file]
    listed = subprocess.run(command, env=dict(os.environ, JAX_PLATFORMS="cpu"), capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if re.search(flags.only, name)]
    return names[:: flags.every]


def on_cpu(file: str, tests: list[str], flags: argparse.Namespace) -> dict[str, str]:
    """Returns the outcome on JAX's own CPU backend of each test, which a file remembers."""
    known = json.loads(flags.cpu_results.read_text()) if flags.cpu_results.exists() else {}
    missing = [test for test in tests if f"{file} {test}" not in known]
    new = {f"{file} {test}": result["outcome"] for test, result in run_file(file, missing, "cpu", flags).items()}
    known = json.loads(flags.cpu_results.read_text()) if flags.cpu_results.exists() else {}
    written = flags.cpu_results.with_suffix(f".{os.getpid()}")  # another run may read the file now
    written.write_text(json.dumps(known | new))
    written.replace(flags.cpu_results)
    return {test: (known | new)[f"{file} {test}"] for test in tests}


def summary(text: str) -> str:
    """Returns the lines of a failure that tell most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"^[\w.]*(Error|Exception)\b|Mismatched|Max ", line)]
    return " | ".join(telling[-4:] or lines[-1:])[:400]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=Path, required=True, metavar="LIBRARY", help="build/release/lib/libweft_pjrt.so")
    parser.add_argument("--jax", type=Path, required=True, metavar="DIR", help="a checkout of jax-ml/jax of the version of the wheel")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run every N-th test of each file")
    parser.add_argument("--only", metavar="REGEX", default="", help="run only tests whose names match")
    parser.add_argument("--deadline", type=float, default=60, metavar="SECONDS", help="for one test (default: 60)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many files run at the same time")
    parser.add_argument("--update", action="store_true", help="write the tests that pass to tests/jax/passing.txt")
    parser.add_argument("--cpu-results", type=Path, default=Path("build/jax-tests/cpu.json"), metavar="FILE",
                        help="remembers the results of JAX's own backend (default: build/jax-tests/cpu.json)")  # fmt: skip
    parser.add_argument("--log", type=Path, metavar="FILE", help="what the tests write to the standard error output")
    parser.add_argument("--results", type=Path, metavar="FILE", help="write all results of weft as JSON")
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE", help="test files without .py (default: all that are known)")
    flags = parser.parse_args()
    flags.cpu_results.parent.mkdir(parents=True, exist_ok=True)
    flags.weft_variables = {"WEFT_JAX_LIBRARY": str(flags.plugin.resolve())}

    def both(file: str) -> tuple[str, dict[str, str], dict[str, dict[str, str]]]:
        tests = tests_in(file, flags)
        cpu = on_cpu(file, tests, flags)
        return file, cpu, run_file(file, [test for test in tests if cpu[test] == "passed"], "weft,cpu", flags)

    passing = set(PASSING.read_text().splitlines()) if PASSING.exists() else set()
    passed, ran, all_results, lost = set(), set(), {}, []
    kinds: Counter[str] = Counter()
    rows = []
    with ThreadPoolExecutor(flags.jobs) as pool:
        for file, cpu, weft in pool.map(both, flags.files):
            counts = Counter(result["outcome"] for result in weft.values())
            rows.append((file, counts["passed"], counts["skipped"], len(weft)))
            print(f"{file}: {counts['passed']} of {len(weft)} that JAX's CPU backend passes", flush=True)
            for test, result in weft.items():
                name = f"{file} {test}"
                ran.add(name)
                all_results[name] = result
                if result["outcome"] == "passed":
                    passed.add(name)
                elif result["outcome"] == "failed":
                    kinds[result["kind"]] += 1
                    print(f"  {result['kind']}: {test}: {summary(result['text'])}", flush=True)
    lost = sorted((passing & ran) - passed)
    print("\n| file | weft passes | of | skipped |\n|---|---|---|---|")
    for file, good, skipped, total in rows:
        print(f"| {file} | {good} | {total} | {skipped} |")
    print(f"| all | {sum(row[1] for row in rows)} | {sum(row[3] for row in rows)} | {sum(row[2] for row in rows)} |")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "nothing fails")
    if flags.results:
        flags.results.write_text(json.dumps(all_results, indent=1))
    if flags.update:
        PASSING.parent.mkdir(parents=True, exist_ok=True)
        PASSING.write_text("".join(f"{name}\n" for name in sorted((passing - ran) | passed)))
    elif lost:
        print("\nthese passed before:", *lost, sep="\n  ")
        sys.exit(1)


if __name__ == "__main__":
    main()
