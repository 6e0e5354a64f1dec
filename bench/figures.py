"""The figures and their targets."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from contestants import PEERS, PYTHON

Runs = dict[str, list[dict]]  # by contestant


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    sign: str  # of the target: "<=" or ">="
    target: float
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.sign == "<=" else self.value >= self.target

    def shown(self, number: float) -> str:
        return f"{number:.3g} {self.unit}".rstrip()

    def as_dict(self) -> dict:
        return asdict(self) | {"met": self.met}


def fastest(rounds: list[dict]) -> float:
    return min(run["step_ms_p50"] for run in rounds)


def loss_figures(job, results: Runs) -> list[Figure]:
    """Computes the relative differences of the losses from PyTorch's, for the same weights and batches."""
    if "weft" not in results or "torch eager" not in results:
        return []
    ours, theirs = (results[name][0]["losses"] for name in ("weft", "torch eager"))
    differences = [abs(a - b) / abs(b) for a, b in zip(ours, theirs, strict=True)]
    steps = len(differences)
    if job.dtype == "f64":
        return [Figure(f"f64 loss against torch, {steps} steps", max(differences), "<=", 1e-9)]
    return [Figure("f32 loss against torch, first step", differences[0], "<=", 1e-6),
            Figure(f"f32 loss against torch, {steps} steps", max(differences), "<=", 1e-3)]


def speed_figures(speeds: dict[str, Runs]) -> list[Figure]:
    figures: list[Figure] = []
    for name, target in (("default-f32", 1.0), ("default-bf16", 1.0), ("small-f32", 3.0)):
        results = speeds.get(name, {})
        ours = results.get("weft")
        peers = {peer: rounds for peer, rounds in results.items() if peer != "weft"}
        if not ours:
            continue
        if peers:
            best = min(fastest(rounds) for rounds in peers.values())
            leanest = min(run["peak_rss_bytes"] for rounds in peers.values() for run in rounds)
            memory = min(run["peak_rss_bytes"] for run in ours)
            figures.append(Figure(f"{name}: speed against the fastest peer", best / fastest(ours), ">=", target, "times"))
            figures.append(Figure(f"{name}: memory against the leanest peer", memory / leanest, "<=", 1.0, "times"))
        if name == "default-f32":
            start = min(run["process_start_to_first_step_s"] for run in ours)
            figures.append(Figure(f"{name}: process start to first step", start, "<=", 5, "s"))
        figures.append(Figure(f"{name}: compiles after the first step", max(run["recompiles"] for run in ours), "<=", 0))
    if all("weft" in speeds.get(name, {}) for name in ("default-f32", "default-bf16")):
        f32, bf16 = (fastest(speeds[name]["weft"]) for name in ("default-f32", "default-bf16"))
        figures.append(Figure("bf16 speed against f32", f32 / bf16, ">=", 1.5, "times"))
    return figures


def limit_figures(build: Path, name: str, directory: Path, results: Runs) -> list[Figure]:
    """Computes the fraction of a step that its matrix products take by themselves (bench/products.cpp); 1 means a step of only products."""
    program = build / "bin/bench/products"
    if name != "default-f32" or "weft" not in results or not program.exists():
        return []
    config = json.loads((directory / "config.json").read_text())
    sizes = [str(config[key]) for key in ("layers", "width", "heads", "context", "batch")]
    alone = json.loads(subprocess.run([program, *sizes], check=True, capture_output=True, text=True).stdout)
    return [Figure(f"{name}: its products alone, at {alone['gflops_per_s']:.0f} GFLOP/s, against a step",
                   alone["ms"] / fastest(results["weft"]), ">=", 0.85, "times")]


def google_benchmarks(build: Path, name: str, flags: list[str], say) -> list[dict]:
    """Returns the runs of bench/NAME.cpp; none if it was not built."""
    program = build / "bin/bench" / name
    if not program.exists():
        say(f"{name}: left out, Google Benchmark was not there when weft was built")
        return []
    done = subprocess.run([program, "--benchmark_format=json", *flags], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["benchmarks"]


def record_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Measures the host cost of recording and syncing, compared to the cost of a replayed call of compile()."""
    least = ["--benchmark_min_time=0.01"] if quick else []
    figures = []
    for run in google_benchmarks(build, "record", least, say):
        name, *parameters = run["name"].split("/")
        if name == "record_op":
            figures.append(Figure(f"record cost of an op: {parameters[0].replace('_', ' ')}", run["ns_per_op"], "<=", 200, "ns"))
        elif name == "record_training_step":
            figures.append(Figure("record cost of an op of a training step", run["ns_per_node"], "<=", 200, "ns"))
        elif name == "sync_known_step" and parameters[1] == "10000":
            when = parameters[0].replace("_", " ")
            text = f"sync of a known step of {parameters[1]} ops, updating {parameters[2]} tensors, {when}"
            figures.append(Figure(text, run["real_time"] / 1e3, "<=", 100, "us"))
    call = {run["name"].split("_")[0]: run["real_time"] for run in google_benchmarks(build, "compile", least, say)}
    if call:
        guards = (call["guarded"] - call["pinned"]) / 1e3
        figures.append(Figure("guards of 300 tensors in a compiled function's call", guards, "<=", 2, "us"))
    return figures


def overlap_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Measures the idle time of the device between two steps, and the ratio of a step's time to the larger of its host and device times."""
    model = ["--model", "mlp", "--steps", "3"] if quick else []
    command = [build / "bin/weft", "lab", "overlap", "--json", *model]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    bars = {bar["name"]: bar for bar in result["bars"]}
    for name, bar in bars.items():
        say(f"  {name}: gap {bar['gap_us_p50']:.1f} us, sync {bar['sync_us']:.1f} us, {bar['steps_per_s']:.2f} steps/s")
    chains = {chain["nodes"]: chain["gap_us"] for chain in result["gap_by_nodes"]}
    say("  " + ", ".join(f"{nodes} nodes: gap {gap:.1f} us" for nodes, gap in chains.items()))
    idle = bars["lock-at-collect"]["gap_us_p50"] / bars["logical-ids"]["gap_us_p50"]
    simulated = json.loads(subprocess.run([*command, "--simulate-us", "5000"], check=True, capture_output=True, text=True).stdout)
    steady = "steady_state_over_max_host_device"
    return [Figure("idle time between two launches, everything behind the lock against logical ids", idle, ">=", 50, "times"),
            Figure("idle time between two launches, 100,000 nodes against 1,000", chains[max(chains)] / chains[min(chains)], "<=", 1.5, "times"),
            Figure("steady state against the longer of host and device", result[steady], "<=", 1.03, "times"),
            Figure("the same on a simulated device", simulated[steady], "<=", 1.03, "times")]


def dynamic_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Measures the cost of sizes that change from step to step."""
    least = ["--benchmark_min_time=0.01"] if quick else []
    runs = {run["name"].split("/")[0]: run for run in google_benchmarks(build, "dynamic", least, say)}
    if not runs:
        return []
    speed = runs["eager_steps_of_changing_sizes"]["real_time"] / runs["steps_of_changing_sizes"]["real_time"]
    return [
        Figure("two alternating shapes, static: compiles", runs["alternating_static_shapes"]["compiles"], "<=", 2),
        Figure("batch of 1 after batches of 8, marked dynamic: recompiles", runs["one_after_eight"]["recompiles"], "<=", 0),
        Figure("steps of changing sizes against eager", speed, ">=", 1.72, "times"),
        Figure("host time of a size not seen before", runs["a_new_size"]["real_time"] / 1e3, "<=", 100, "us"),
        Figure("recompiles while sizes change", runs["steps_of_changing_sizes"]["recompiles"], "<=", 0),
    ]


# Programs of peers/programs_jax.py, and how many times as fast as jax.jit they must be.
PROGRAMS = {"scan-gradient": 20, "squared-differences": 2, "transposed-convolution-gradient": 5, "convolution-gradient": 5,
            "quasi-separable-factor": 5, "orbits-gradient": 5}


def program_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares programs on which XLA's CPU backend is slow with jax.jit, in turns; the fastest run of each counts."""
    python = os.environ.get("WEFT_PEERS_PYTHON", "python3")
    if subprocess.run([python, "-c", "import jax"], capture_output=True).returncode != 0:
        say(f"programs: left out, {python} cannot import jax")
        return []
    script, repeat = Path(__file__).parent / "peers/programs_jax.py", 2 if quick else 7
    figures = []
    for name, target in PROGRAMS.items():
        with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
            subprocess.run([python, script, name, "--write", folder], check=True)
            inputs = [word for file in sorted(Path(folder).glob("*.npy")) for word in ("--input", file)]
            weft = [build / "bin/weft", "run", Path(folder) / f"{name}.mlir", *inputs, "--json"]
            commands = {"weft": weft, "jax": [python, script, name]}
            best: dict[str, float] = {}
            for _ in range(1 if quick else 3):
                for who, command in commands.items():
                    done = subprocess.run([*command, "--repeat", str(repeat)], check=True, capture_output=True, text=True)
                    best[who] = min(best.get(who, math.inf), *json.loads(done.stdout.splitlines()[-1])["run_ms"])
        say(f"{name}: weft {best['weft']:.3g} ms, jax.jit {best['jax']:.3g} ms")
        figures.append(Figure(f"{name}: speed against jax.jit", best["jax"] / best["weft"], ">=", target, "times"))
    return figures


def jax_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Runs varied JAX programs, unchanged, on weft's plugin and on XLA's CPU backend, in turns."""
    python = os.environ.get("WEFT_PEERS_PYTHON", "python3")
    if subprocess.run([python, "-c", "import jax"], capture_output=True).returncode != 0:
        say(f"jax: left out, {python} cannot import jax")
        return []
    command = [python, Path(__file__).parent / "peers/jax_programs/run.py", "--plugin", build / "lib/libweft_pjrt.so",
               "--rounds", "1" if quick else "3", "--json"]
    done = subprocess.run([*command, *(["--only", "mlp"] if quick else [])], stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        raise SystemExit(f"error: the JAX programs ended with code {done.returncode}")
    result = json.loads(done.stdout)
    count = len(result["programs"])
    return [Figure(f"{count} JAX programs: speed against XLA's CPU backend, geometric mean", result["geometric_mean"], ">=", 1.5, "times"),
            Figure("JAX programs: the slowest", result["slowest"], ">=", 0.8, "times"),
            Figure("JAX programs: compile time against XLA's", result["compile_cold"], "<=", 0.5, "times"),
            Figure("JAX programs: compile time in a second process", result["compile_again"], "<=", 0.2, "times"),
            Figure("JAX programs: refused, or with other results", len(result["different"]) + len(result["failed"]), "<=", 0)]


def mode_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares a whole training step under compile() with the same step run operation by operation, and measures its compile time."""
    done = subprocess.run([build / "bin/bench/modes", "2" if quick else "20"], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)
    for row in result["rows"]:
        say(f"  {row['name']}: {row['steps_per_s']:.1f} steps/s, {row['ratio']:.2f} times eager, first call {row['first_call_s']:.2f} s")
    ratio = {row["name"]: row["ratio"] for row in result["rows"]}
    seconds = result["compile_s"]
    figures = [Figure("compiled training step against eager", ratio["compiled"], ">=", 1.78, "times"),
               Figure("max_autotune against compiled", ratio["max_autotune"] / ratio["compiled"], ">=", 1.0, "times"),
               Figure("compiling 12 layers against 2", seconds["layers_12"] / seconds["layers_2"], "<=", 1.3, "times"),
               Figure("compiling 12 layers with kernels on disk", seconds["cached"], "<=", 1, "s")]
    return figures + [Figure(f"recompiles: {name}", count, "<=", 0) for name, count in result["recompiles"].items()]


def captioner_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares the article's model on random captions with torch.compile and jax.jit, with the same sizes and distribution. `weft lab
    captioner` itself shows all variants of compile(); these are the variants with a counterpart in a peer."""
    compared = {"static": "whole step", "dynamic": "marked dynamic"}
    shape = ["--batch", "2" if quick else "16", "--warm-up", "2" if quick else "20", "--steps", "2" if quick else "30"]
    threads = ["--threads", str(len(os.sched_getaffinity(0)))]

    def lab(table: str, *more: str) -> dict:
        rows = ["--row", "eager", "--row", compared[table]]
        command = [build / "bin/weft", "lab", "captioner", "--table", table, *rows, "--train-steps", "0", "--json", *shape, *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def peer(name: str, modules: str, script: str, *more: str) -> float | None:
        if subprocess.run([PYTHON, "-c", f"import {modules}"], capture_output=True).returncode != 0:
            say(f"captioner, {name}: left out, {PYTHON} cannot import {modules}")
            return None
        command = [PYTHON, PEERS / script, *shape, *threads, *more]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | caches)
        speed = json.loads(done.stdout.splitlines()[-1])["steps_per_s"]
        say(f"captioner, {name}, {more[-1]}: {speed:.2f} steps/s")
        return speed

    def best(speeds: list[float | None]) -> float | None:
        return max((speed for speed in speeds if speed), default=None)

    figures = []
    folder = tempfile.TemporaryDirectory(prefix="weft-bench-")  # a peer finds here what it compiled in its previous run
    caches = {name: os.path.join(folder.name, name) for name in ("TORCHINDUCTOR_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR")}
    for dtype, table in itertools.product(("f32", "bf16"), compared):
        ours, eager, torch, jax = [], [], [], []
        for _ in range(1 if quick else 3):  # the contestants alternate; the fastest run of each counts
            report = lab(table, "--dtype", dtype)
            rows = {row["name"]: row for row in report["rows"]}
            for row in rows.values():
                say(f"captioner, {dtype}, {table}, {row['name']}: {row['steps_per_s']:.2f} steps/s, {row['recompiles_in_window']} recompiles")
            eager.append(rows["eager"]["steps_per_s"])
            ours.append(rows[compared[table]]["steps_per_s"])
            # Peers get the sizes of our model and the lengths of our captions, because a few long captions decide how long a
            # window of steps takes.
            lengths = ",".join(map(str, rows[compared[table]]["lengths"]))
            same = ["--config", json.dumps(report["config"]), "--lengths", lengths, "--dtype", dtype]
            torch.append(peer("torch.compile", "torch._inductor", "captioner_torch.py", "--mode", "compile", *same))
            # jax.jit compiles for every length, so it is compared only with static shapes.
            jax.append(peer("jax.jit", "jax, optax", "captioner_jax.py", *same) if table == "static" else None)
        name = f"captioner {dtype}, {table}"
        target = 1.78 if table == "static" else 1.72
        figures.append(Figure(f"{name}: compiled step against eager", best(ours) / best(eager), ">=", target, "times"))
        for peer_name, speeds, least in (("torch.compile", torch, 1.3), ("jax.jit", jax, 1.5)):
            if best(speeds):
                figures.append(Figure(f"{name}: speed against {peer_name}", best(ours) / best(speeds), ">=", least, "times"))
    return figures


def sparse_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares lookup, pooling and update of 26 embedding tables with plain loops that move the same rows, with PyTorch's sparse gradients
    and with FBGEMM's CPU kernels. Contestants take turns; the fastest run of each counts."""
    sizes = ["4", "1000", "64", "64"] if quick else ["26", "100000", "64", "4096"]
    has_torch = subprocess.run([PYTHON, "-c", "import torch, numpy"], capture_output=True).returncode == 0
    if not has_torch:
        say(f"sparse: peers are left out, {PYTHON} cannot import torch, numpy")
    figures = []
    for ids, optimizer in itertools.product(("1", "10"), ("sgd", "adagrad", "row_wise_adagrad", "adam")):
        best: dict[str, float] = {}
        with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
            arguments = [*sizes, ids, optimizer, "0.1" if quick else "2", os.path.join(folder, "ids")]
            for _ in range(1 if quick else 2):
                done = subprocess.run([build / "bin/bench/sparse", *arguments], check=True, capture_output=True, text=True)
                result = json.loads(done.stdout)
                runs = {"weft": result["step_ms"], "plain": result["rows_ms"]}
                if has_torch:
                    done = subprocess.run([PYTHON, PEERS / "sparse_torch.py", *arguments], check=True, capture_output=True, text=True)
                    peers = json.loads(done.stdout.splitlines()[-1])
                    if reason := peers.pop("fbgemm_left_out", None):
                        say(f"sparse: FBGEMM is left out, {reason}")
                    runs |= peers
                best = {who: min(best.get(who, math.inf), ms) for who, ms in runs.items()}
        name = f"sparse {optimizer.replace('_', '-')}, {ids} ids a bag"
        say(f"{name}: " + ", ".join(f"{who} {ms:.3g} ms" for who, ms in best.items()) +
            f"; {result['ids']} ids of {result['distinct']} rows, plain loops {result['rows_gb_per_s']:.3g} GB/s")
        figures.append(Figure(f"{name}: bandwidth against plain loops over the same rows", best["plain"] / best["weft"], ">=", 0.8, "times"))
        for peer, target in (("fbgemm", 1.5), ("torch", 1.5)):
            if peer in best:
                figures.append(Figure(f"{name}: speed against {peer}", best[peer] / best["weft"], ">=", target, "times"))
    return figures + (ranking_figures(build, quick, say) if has_torch else []) + plan_figures(build, quick, say)


def ranking_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares a training step of `weft train ranking` with TorchRec and with compiled PyTorch, on the same batches, in turns."""
    figures = []
    for rows, width, batch in ((1000, 8, 64),) if quick else ((50_000, 16, 2048), (100_000, 64, 4096)):
        best: dict[str, float] = {}
        with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
            subprocess.run([build / "bin/weft", "train", "ranking", "--write-data", folder, "--days", "2", "--day-samples", str(8 * batch)],
                           check=True, capture_output=True)
            arguments = [folder, str(rows), str(width), str(batch), "0.1" if quick else "5"]
            for _ in range(1 if quick else 3):
                done = subprocess.run([build / "bin/bench/ranking_step", *arguments], check=True, capture_output=True, text=True)
                runs = {"weft": json.loads(done.stdout)["step_ms"]}
                done = subprocess.run([PYTHON, PEERS / "ranking_torch.py", *arguments], check=True, capture_output=True, text=True)
                peers = json.loads(done.stdout.splitlines()[-1])
                if reason := peers.pop("torchrec_left_out", None):
                    say(f"ranking: TorchRec is left out, {reason}")
                runs |= peers
                best = {who: min(best.get(who, math.inf), ms) for who, ms in runs.items()}
        name = f"ranking step, 26 tables of {rows} x {width}, batch {batch}"
        say(f"{name}: " + ", ".join(f"{who} {ms:.3g} ms" for who, ms in best.items()))
        for peer, target in (("torchrec", 2), ("compiled", 3)):
            if peer in best:
                figures.append(Figure(f"{name}: speed against {peer}", best[peer] / best["weft"], ">=", target, "times"))
    return figures


def plan_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares what the planner of embedding tables predicts with what steps take, for random plans of two sets of tables on devices with
    the link of `weft lab sparse`."""
    figures = []
    for tables in ("criteo", "mixed"):
        done = subprocess.run([build / "bin/bench/table_plans", tables, *(("3", "1") if quick else ("20", "8"))],
                              env=os.environ | {"WEFT_LINK": "latency_us=50,gb_s=0.5"}, check=True, capture_output=True, text=True)
        result = json.loads(done.stdout)
        measured = [plan["measured_ms"] for plan in result["plans"]]
        say(f"plans of {tables} tables: steps take {min(measured):.3g} to {max(measured):.3g} ms")
        figures.append(Figure(f"plans of {tables} tables: rank correlation of predicted and measured times", result["rank_correlation"], ">=", 0.9))
        figures.append(Figure(f"plans of {tables} tables: the planner's against the fastest", result["chosen_over_best"], "<=", 1.05, "times"))
    return figures


def kernel_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Computes the bandwidth of each generated kernel relative to a plain vector loop of the same size (bench/fused_kernels.cpp)."""
    speed = {}  # by program and size
    for run in google_benchmarks(build, "fused_kernels", ["--benchmark_min_time=0.01"] if quick else [], say):
        program_name, size = run["name"].split("/")[:2]
        speed[program_name, size] = run["bytes_per_second"]
    return [Figure(f"bandwidth of {kernel}, rows of {size}", speed[f"weft_{kernel}", size] / plain, ">=", 0.8, "times")
            for (name, size), plain in speed.items() if (kernel := name.removeprefix("plain_")) != name]


def exported_figures(build: Path, quick: bool, say) -> list[Figure]:
    """Compares `weft run` with jax.jit on a transformer's training step that JAX exported, in turns; the fastest run of each counts."""
    scripts, model, size, repeat, rounds = PEERS / "stablehlo", "transformer_step", "bench", 20, 2
    if quick:
        size, repeat, rounds = "tiny", 3, 1
    if subprocess.run([PYTHON, "-c", "import jax, optax"], capture_output=True).returncode != 0:
        say(f"exported: left out, {PYTHON} cannot import jax, optax")
        return []
    say("\nexported: a transformer's training step, from JAX")
    ours, theirs = [], []
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
        subprocess.run([PYTHON, scripts / "export.py", "--model", model, "--size", size, "--output", folder], check=True,
                       stdout=subprocess.DEVNULL)
        files = Path(folder) / model
        weft = (build / "bin/weft", "run", files / "program.mlir", "--input", files / "inputs.npz", "--repeat", str(repeat), "--json")
        jax = (PYTHON, scripts / "measure.py", "--model", model, "--size", size, "--repeat", str(repeat))
        for index in range(rounds):
            for name, command, results in (("weft", weft, ours), ("jax jit", jax, theirs)):
                done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"WEFT_CACHE": "0"})
                results.append(json.loads(done.stdout))
                say(f"  {name}, run {index + 1} of {rounds}: {median(results[-1]['run_ms']):.1f} ms a step, compiled in "
                    f"{results[-1]['compile_ms']:.0f} ms")
    speed = min(median(run["run_ms"]) for run in theirs) / min(median(run["run_ms"]) for run in ours)
    compile_time = min(run["parse_ms"] + run["compile_ms"] for run in ours) / min(run["compile_ms"] for run in theirs)
    return [Figure("exported transformer step: speed against jax.jit", speed, ">=", 1.0, "times"),
            Figure("exported transformer step: reading and compiling against XLA", compile_time, "<=", 0.5, "times")]
