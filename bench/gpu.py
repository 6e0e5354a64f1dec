"""The figures of weft on an NVIDIA GPU, against PyTorch and JAX on the same GPU. Contestants take turns."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from figures import PEERS, PYTHON, Figure

TIMEOUT_S = 180


def gpu_figures(measure):
    """Makes a function of the figures from one that needs a GPU: without one, says so once for all of them, and gives none."""

    @functools.wraps(measure)
    def guarded(build: Path, quick: bool, say) -> list[Figure]:
        if not has_gpu(build, say):
            return []
        start = time.monotonic()
        say(f"\n{measure.__name__.removesuffix('_figures').replace('_', ' ')}")
        figures = measure(build, quick, say)
        say(f"  measured in {time.monotonic() - start:.0f} s")
        return figures

    return guarded


_known: dict[Path, bool] = {}


def has_gpu(build: Path, say) -> bool:
    if build not in _known:
        done = subprocess.run([build / "bin/weft", "devices", "--json"], capture_output=True, text=True)
        _known[build] = done.returncode == 0 and bool(json.loads(done.stdout)["gpus"])
        if not _known[build]:
            say("gpu: left out, weft finds no GPU; weft devices tells the reason")
    return _known[build]


def run(name: str, command: list, say, **environment: str) -> dict | None:
    """Returns the JSON object on the last line of a program's output, or says why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env=os.environ | environment)
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        reason = f"it took longer than {TIMEOUT_S} s"
    except (OSError, ValueError, IndexError) as error:
        reason = str(error)
    say(f"  {name}: left out, {reason}")
    return None


def run_weft(name: str, command: list, say, **environment: str) -> dict | None:
    # Without the kernels of earlier runs, so that every start is a cold one.
    return run(name, command, say, **({"WEFT_DEVICE": "cuda", "WEFT_CACHE": "0"} | environment))


def run_peer(name: str, modules: str, script: str, flags: list[str], say, **environment: str) -> dict | None:
    done = subprocess.run([PYTHON, "-c", f"import {modules}"], capture_output=True, text=True)
    if done.returncode != 0:
        say(f"  {name}: left out, {PYTHON} cannot import {modules}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return run(name, [PYTHON, PEERS / script, *flags], say, **environment)


@gpu_figures
def gpu_language_model_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares a training step of GPT-2 (124 million parameters, bf16, 32 x 1024 tokens) with torch.compile and jax.jit, and weft's account
    of its memory with the driver's."""
    sizes = dict(batch=32, context=1024, vocabulary=50304, steps=20, warm_up=4)
    if quick:
        sizes = dict(layers=1, width=64, heads=2, batch=2, context=64, vocabulary=128, steps=2, warm_up=2)
    flags = [word for name, size in sizes.items() for word in (f"--{name.replace('_', '-')}", str(size))]
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as cache:
        ours = run_weft("weft", [build / "bin/bench/language_model", *flags], say)
        torch = run_peer("torch.compile", "torch", "language_model_torch.py", flags, say, TORCHINDUCTOR_CACHE_DIR=cache)
        jax = None
        for attention in ("cudnn", "xla"):
            jax = jax or run_peer(f"jax.jit, {attention}", "jax", "language_model_jax.py", ["--attention", attention, *flags], say)
    for result in (ours, torch, jax):
        if result:
            say(f"  {result['peer']}: {result['tokens_per_s']:,.0f} tokens/s, {result['step_ms']:.2f} ms a step, first step "
                f"{result['first_step_s']:.1f} s, peak {result['peak_bytes'] / 2**30:.2f} GiB, losses {result['losses'][0]:.4f} to "
                f"{result['losses'][-1]:.4f}")
    if not ours:
        return []
    name, speed = "GPT-2 124M bf16 on a GPU", ours["tokens_per_s"]
    figures = [Figure(f"{name}", speed, ">=", 460_000, "tokens/s")]
    for peer, result, target in (("torch.compile", torch, 1.1), ("jax.jit", jax, 1.2)):
        if result:
            figures.append(Figure(f"{name}: speed against {peer}", speed / result["tokens_per_s"], ">=", target, "times"))
    difference = abs(ours["peak_bytes"] / ours["driver_bytes"] - 1) if ours["driver_bytes"] else 1.0
    say(f"  weft's peak {ours['peak_bytes']:,} bytes, by the driver {ours['driver_bytes']:,}")
    return figures + [Figure(f"{name}: weft's peak memory, difference from the driver's figure", difference, "<=", 0.05)]


@gpu_figures
def gpu_captioner_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares the captioner's compiled step (full size, bf16, batch 64) with PyTorch's eager step, and measures its first step: with nothing
    compiled, and in a second process that finds the kernels on disk."""
    size = ["--size", "small" if quick else "full", "--dtype", "bf16", "--batch", "2" if quick else "64", "--train-steps", "0"]
    counts = ["--warm-up", "2" if quick else "8", "--steps", "2" if quick else "20"]
    command = [build / "bin/weft", "lab", "captioner", "--device", "cuda", "--json", *size]
    threads = str(len(os.sched_getaffinity(0)))
    figures = []
    for table, row, target in (("static", "whole step", 1.78), ("dynamic", "marked dynamic", 1.72)):
        name = f"captioner bf16 on a GPU, {table}"
        report = run_weft(f"weft, {table}", [*command, "--table", table, "--row", row, *counts], say, WEFT_CACHE="1")
        if not report:
            continue
        ours = report["rows"][0]
        say(f"  weft, {table}: {ours['steps_per_s']:.2f} steps/s, {ours['recompiles_in_window']} recompiles, "
            f"first {counts[1]} steps {ours['first_steps_s']:.1f} s")
        figures.append(Figure(f"{name}: recompiles after the warm-up", ours["recompiles_in_window"], "<=", 0))
        # The peer gets the sizes of our model and the lengths of our captions.
        same = ["--config", json.dumps(report["config"]), "--lengths", ",".join(map(str, ours["lengths"]))]
        eager = run_peer(f"torch eager, {table}", "torch, numpy", "captioner_torch.py",
                         ["--device", "cuda", "--dtype", "bf16", "--batch", size[5], "--threads", threads, *counts, *same], say)
        if eager:
            say(f"  torch eager, {table}: {eager['steps_per_s']:.2f} steps/s")
            speed = ours["steps_per_s"] / eager["steps_per_s"]
            figures.append(Figure(f"{name}: speed against torch eager", speed, ">=", target, "times"))
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as cache:
        for what, target in (("nothing compiled", 10), ("kernels on disk", 1)):
            # The driver's own cache of code is off.
            report = run_weft(f"weft, {what}", [*command, "--table", "static", "--row", "whole step", "--kept-kernels", "--warm-up", "1",
                                                "--steps", "1"], say, WEFT_CACHE="1", WEFT_CACHE_DIR=cache, CUDA_CACHE_DISABLE="1")
            if report:
                seconds = report["rows"][0]["first_steps_s"]
                figures.append(Figure(f"captioner bf16 on a GPU: first step, {what}", seconds, "<=", target, "s"))
    return figures


@gpu_figures
def gpu_small_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares training steps of models that are too small for the GPU with torch.compile's reduce-overhead."""
    figures = []
    for model in ("mlp", "bert"):
        def steps(count: int) -> list[str]:
            return ["--model", model, "--steps", "3" if quick else str(count)]
        with tempfile.TemporaryDirectory(prefix="weft-bench-") as cache:
            ours = run_weft(f"weft, {model}", [build / "bin/bench/small_models", *steps(2000)], say)
            peer, script = f"torch reduce-overhead, {model}", "small_models_torch.py"
            reduced = run_peer(peer, "torch", script, ["--mode", "reduce-overhead", *steps(1000)], say, TORCHINDUCTOR_CACHE_DIR=cache)
            eager = run_peer(f"torch eager, {model}", "torch", script, ["--mode", "eager", *steps(300)], say)
        for result in (ours, reduced, eager):
            if result:
                host = f", host {result['host_us']:.1f} us" if "host_us" in result else ""
                say(f"  {result['peer']}, {model}: {result['step_us']:.1f} us a step{host}, first step {result['first_step_s']:.1f} s, "
                    f"losses {result['losses'][0]:.4f} to {result['losses'][-1]:.4f}")
        if not ours:
            continue
        figures.append(Figure(f"small {model} on a GPU: host time of a step", ours["host_us"], "<=", 10, "us"))
        if reduced:
            speed = reduced["step_us"] / ours["step_us"]
            figures.append(Figure(f"small {model} on a GPU: speed against torch reduce-overhead", speed, ">=", 1.0, "times"))
    return figures


@gpu_figures
def gpu_gap_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Measures how long the GPU idles, by its own clock, between two steps of BERT-large."""
    model = ["--model", "mlp", "--steps", "3"] if quick else ["--model", "bert-large", "--width", "1024", "--batch", "8", "--tokens", "128"]
    report = run_weft("weft", [build / "bin/weft", "lab", "overlap", "--device", "cuda", "--json", *model], say)
    if not report:
        return []
    bars = {bar["name"]: bar for bar in report["bars"]}
    for name, bar in bars.items():
        say(f"  {name}: gap {bar['gap_us_p50']:.1f} us, at most {bar['gap_us_p99']:.1f} us, {bar['steps_per_s']:.2f} steps/s")
    return [Figure("idle time of a GPU between two steps", bars["logical-ids"]["gap_us_p50"], "<=", 10, "us")]


@gpu_figures
def gpu_repetitions_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Counts the elements of GPT-2's loss and gradients whose bits differ between repetitions."""
    size = ["--batch", "4", "--context", "512", "--repetitions", "1000"]
    if quick:
        size = ["--layers", "1", "--width", "64", "--heads", "2", "--batch", "2", "--context", "64", "--repetitions", "5"]
    result = run_weft("weft", [build / "bin/bench/gpu_repetitions", *size], say)
    if not result:
        return []
    say(f"  {result['repetitions']} repetitions in {result['seconds']:.1f} s, loss {result['loss']:.4f}")
    return [Figure(f"elements that differ in {result['repetitions']} repetitions on a GPU", result["different"], "<=", 0)]


@gpu_figures
def gpu_kernels_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Computes the bandwidth of single operations relative to that of a copy."""
    result = run_weft("weft", [build / "bin/bench/gpu_kernels"], say)
    if not result:
        return []
    speed = {kernel["name"]: kernel["gb_s"] for kernel in result["kernels"]}
    say("  " + ", ".join(f"{name} {gb_s:,.0f} GB/s" for name, gb_s in speed.items()))
    compared = ("softmax", "layer_norm", "gelu", "cross_entropy", "AdamW")
    return [Figure(f"bandwidth of {name} on a GPU against a copy", gb_s / speed["copy"], ">=", 0.85, "times")
            for name, gb_s in speed.items() if name.startswith(compared)]


GPU = {"gpu-language-model": gpu_language_model_figures, "gpu-captioner": gpu_captioner_figures, "gpu-small": gpu_small_figures,
       "gpu-gap": gpu_gap_figures, "gpu-repetitions": gpu_repetitions_figures, "gpu-kernels": gpu_kernels_figures}
