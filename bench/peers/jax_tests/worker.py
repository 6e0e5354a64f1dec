"""Runs tests of one of JAX's own test files, whose names it reads from the standard input, and prints a line of JSON for each result.

With --list, prints the names of all tests instead.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import unittest
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--jax", type=Path, required=True, metavar="DIR", help="a checkout of jax-ml/jax")
parser.add_argument("--list", action="store_true")
parser.add_argument("file", help="the test file's name without .py")
FLAGS = parser.parse_args()

# The tests read the command line, too, and print; results go where the standard output went.
sys.argv = [FLAGS.file]
RESULTS = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def load(name: str, path: Path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def tests_of(module) -> dict[str, unittest.TestCase]:
    from jax._src import test_util  # noqa: PLC0415: after the command line was replaced

    tests = {}
    suites = [test_util.JaxTestLoader().loadTestsFromModule(module)]
    while suites:
        for entry in suites.pop():
            if isinstance(entry, unittest.TestSuite):
                suites.append(entry)
            else:
                tests[f"{type(entry).__name__}.{entry._testMethodName}"] = entry
    return dict(sorted(tests.items()))


def outcome(test: unittest.TestCase) -> dict[str, str]:
    result = unittest.TestResult()
    test.run(result)
    if result.skipped and not result.failures and not result.errors:
        return {"outcome": "skipped", "text": result.skipped[0][1]}
    if wrong := [*result.errors, *result.failures]:
        return {"outcome": "failed", "text": wrong[0][1]}
    if result.unexpectedSuccesses:
        return {"outcome": "failed", "text": "an unexpected success"}
    return {"outcome": "passed", "text": ""}


def main() -> None:
    sys.path.insert(0, str(FLAGS.jax / "tests"))
    import jax._src  # noqa: F401, PLC0415: the package of the module below

    if "WEFT_JAX_LIBRARY" in os.environ:
        sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
        import weft_jax  # noqa: PLC0415

        weft_jax.initialize()
    # JAX's wheel lacks this module.
    load("jax._src.hypothesis_test_util", FLAGS.jax / "jax/_src/hypothesis_test_util.py")
    tests = tests_of(load(FLAGS.file, FLAGS.jax / "tests" / f"{FLAGS.file}.py"))
    if FLAGS.list:
        print(*tests, sep="\n", file=RESULTS)
        return
    import jax  # noqa: PLC0415

    print("ready", file=RESULTS)
    for line in sys.stdin:
        name = line.rstrip("\n")
        print(json.dumps(outcome(tests[name])), file=RESULTS)
        jax.clear_caches()  # the compiled programs of all tests would not fit in memory


main()
