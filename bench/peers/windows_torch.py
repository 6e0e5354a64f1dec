#!/usr/bin/env python3
"""Compares PyTorch with weft on convolutions and max pooling.

Usage: windows_torch.py PROGRAM [FILTER]   PROGRAM is the built bench/windows, which also lists the cases to measure.
Prints the milliseconds of both, and weft's speed relative to PyTorch's. WEFT_NUM_THREADS (default 2) sets the threads of both.
"""
import json
import os
import subprocess
import sys
import time

import torch
import torch.nn.functional as F


def work(name):
    """Returns a function that runs the case of this name in PyTorch."""
    layout, kind, which, x, kernel, stride, padding, dilation, groups = name.split("/")[:9]
    stride, padding, dilation, groups = int(stride), int(padding), int(dilation), int(groups)
    order = torch.channels_last if layout == "NHWC" else torch.contiguous_format

    def tensor(sizes):
        return torch.rand([int(s) for s in sizes.split("x")]).to(memory_format=order)

    x = tensor(x)
    if kind == "pool":
        size = [int(s) for s in kernel.split("x")]
        y, places = F.max_pool2d(x, size, stride, padding, return_indices=True)
        if which == "forward":
            return lambda: F.max_pool2d(x, size, stride, padding)
        return lambda: torch.ops.aten.max_pool2d_with_indices_backward(
            y, x, size, [stride] * 2, [padding] * 2, [1, 1], False, places)
    kernel, transposed = tensor(kernel), kind == "transposed"
    arguments = [stride] * 2, [padding] * 2, [dilation] * 2, transposed, [0, 0], groups

    def forward():
        return torch.ops.aten.convolution(x, kernel, None, *arguments)

    if which == "forward":
        return forward
    dy = torch.ones_like(forward())
    mask = [which == "input", which == "kernel", False]
    return lambda: torch.ops.aten.convolution_backward(dy, x, kernel, None, *arguments, mask)


def milliseconds(call):
    call()
    best, spent = float("inf"), 0.0
    while spent < 0.3:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
    return best * 1e3


def main():
    program, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."
    threads = os.environ.setdefault("WEFT_NUM_THREADS", "2")
    torch.set_num_threads(int(threads))
    output = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_filter=" + wanted, "--benchmark_min_time=0.002",
         "--benchmark_repetitions=25"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    mine = {}
    for run in json.loads(output)["benchmarks"]:
        if run["run_type"] == "iteration":
            name = run["run_name"].removesuffix("/real_time")
            mine[name] = min(mine.get(name, float("inf")), run["real_time"])
    print(f"{'weft ms':>9} {'torch ms':>9} {'times':>6}  case")
    with torch.no_grad():
        for name, ms in mine.items():
            peer = milliseconds(work(name))
            print(f"{ms:9.3f} {peer:9.3f} {peer / ms:6.2f}  {name}", flush=True)


main()
