#!/usr/bin/env python3
"""Measures training steps of the DLRM of `weft train ranking` in TorchRec, and in PyTorch with sparse gradients
and torch.compile for all but the lookups.

Usage: ranking_torch.py FOLDER ROWS WIDTH BATCH SECONDS   (FOLDER was written by `weft train ranking --write-data`)
Prints {"torchrec": step_ms, "compiled": step_ms, "torchrec_left_out": reason}: medians, of batches that are in memory before.
Tables are trained by row-wise Adagrad in TorchRec and by Adagrad in PyTorch, which has no row-wise one for sparse gradients; the dense
layers by AdamW. Nothing is clipped. WEFT_NUM_THREADS (default 2) sets the threads.
"""
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy
import torch

NUMBERS, IDS = 13, 26
BOTTOM, TOP = [64, 32], [64, 32]
BATCHES = 8


def read_batches(folder, rows, batch):
    """Reads the first lines of the first day."""
    labels, numbers, ids = [], [], []
    with open(sorted(Path(folder).glob("day_*"))[0]) as file:
        for line, _ in zip(file, range(BATCHES * batch)):
            fields = line.rstrip("\n").split("\t")
            labels.append(float(fields[0]))
            numbers.append([numpy.log1p(max(int(x or 0), 0)) for x in fields[1 : 1 + NUMBERS]])
            ids.append([int(x or "0", 16) % rows for x in fields[1 + NUMBERS :]])
    shape = (BATCHES, batch)
    return list(zip(torch.tensor(labels).reshape(shape), torch.tensor(numbers, dtype=torch.float32).reshape(*shape, NUMBERS),
                    torch.tensor(ids).reshape(*shape, IDS)))


def median_ms(batches, seconds, step):
    for batch in batches[:3]:
        step(*batch)
    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for batch in batches:
            start = time.perf_counter()
            step(*batch)
            times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


class Dlrm(torch.nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.tables = torch.nn.ModuleList(torch.nn.EmbeddingBag(rows, width, mode="sum", sparse=True) for _ in range(IDS))
        self.bottom = mlp([NUMBERS, *BOTTOM, width], ends_with_relu=True)
        vectors = IDS + 1
        self.top = mlp([width + vectors * (vectors - 1) // 2, *TOP, 1], ends_with_relu=False)
        self.pairs = torch.triu_indices(vectors, vectors, offset=1)

    def look_up(self, ids):
        return [table(ids[:, t : t + 1]) for t, table in enumerate(self.tables)]

    def forward(self, numbers, rows):
        dense = self.bottom(numbers)
        vectors = torch.stack([dense, *rows], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([dense, products], 1))[:, 0]


def mlp(widths, ends_with_relu):
    layers = []
    for i in range(1, len(widths)):
        layers.append(torch.nn.Linear(widths[i - 1], widths[i]))
        if i + 1 < len(widths) or ends_with_relu:
            layers.append(torch.nn.ReLU())
    return torch.nn.Sequential(*layers)


def compiled_ms(rows, width, batches, seconds):
    model = Dlrm(rows, width)
    tables = torch.optim.Adagrad(model.tables.parameters(), lr=0.01)
    dense = torch.optim.AdamW([*model.bottom.parameters(), *model.top.parameters()], lr=1e-3, fused=True)
    # torch.compile fails for lookups with sparse gradients.
    loss_of = torch.compile(lambda numbers, rows, labels: torch.nn.functional.binary_cross_entropy_with_logits(model(numbers, rows), labels))

    def step(labels, numbers, ids):
        for optimizer in (tables, dense):
            optimizer.zero_grad()
        loss_of(numbers, model.look_up(ids), labels).backward()
        for optimizer in (tables, dense):
            optimizer.step()

    return median_ms(batches, seconds, step)


def torchrec_ms(rows, width, batches, seconds):
    import torch.distributed
    from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
    from torchrec.datasets.utils import Batch
    from torchrec.distributed import DistributedModelParallel
    from torchrec.models.dlrm import DLRM, DLRMTrain
    from torchrec.optim import RowWiseAdagrad
    from torchrec.optim.apply_optimizer_in_backward import apply_optimizer_in_backward

    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    keys = [f"id_{t}" for t in range(IDS)]
    tables = EmbeddingBagCollection(device=torch.device("meta"), tables=[
        EmbeddingBagConfig(name=key, embedding_dim=width, num_embeddings=rows, feature_names=[key]) for key in keys])
    model = DLRMTrain(DLRM(tables, NUMBERS, [*BOTTOM, width], [*TOP, 1], dense_device=torch.device("cpu")))
    apply_optimizer_in_backward(RowWiseAdagrad, model.model.sparse_arch.parameters(), {"lr": 0.01})
    model = DistributedModelParallel(model, device=torch.device("cpu"))
    dense = torch.optim.AdamW([p for name, p in model.named_parameters() if "sparse_arch" not in name], lr=1e-3, fused=True)
    lengths = torch.ones(IDS * batches[0][0].numel(), dtype=torch.int32)
    given = [(labels, numbers, KeyedJaggedTensor(keys, ids.t().contiguous().reshape(-1), lengths=lengths)) for labels, numbers, ids in batches]

    def step(labels, numbers, ids):
        dense.zero_grad()
        loss, _ = model(Batch(dense_features=numbers, sparse_features=ids, labels=labels))
        loss.backward()
        dense.step()

    return median_ms(given, seconds, step)


def main():
    folder, (rows, width, batch), seconds = sys.argv[1], map(int, sys.argv[2:5]), float(sys.argv[5])
    torch.set_num_threads(int(os.environ.get("WEFT_NUM_THREADS", "2")))
    batches = read_batches(folder, rows, batch)
    result = {"compiled": compiled_ms(rows, width, batches, seconds)}
    try:
        result["torchrec"] = torchrec_ms(rows, width, batches, seconds)
    except Exception as error:  # whatever a version that does not fit raises
        result["torchrec_left_out"] = f"{type(error).__name__}: {error}".splitlines()[0]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
