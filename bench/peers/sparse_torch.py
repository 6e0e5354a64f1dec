#!/usr/bin/env python3
"""Measures lookup, pooling and update of embedding tables in PyTorch and, if it can be imported, FBGEMM.

Usage: sparse_torch.py TABLES ROWS WIDTH BATCH IDS OPTIMIZER SECONDS FILE   (the arguments of bench/sparse, which writes FILE)
Prints {"torch": step_ms, "fbgemm": step_ms, "fbgemm_left_out": reason}; a key is missing if there is nothing to measure.
WEFT_NUM_THREADS (default 2) sets the threads.
"""
import json
import os
import sys
import time

import numpy
import torch


def best_ms(seconds, run):
    run()
    run()
    best, spent = float("inf"), 0.0
    while spent < seconds:
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
    return best * 1e3


def torch_ms(sizes, ids, optimizer, seconds):
    """EmbeddingBag(sparse=True) for each table, and PyTorch's optimizer of sparse gradients; None if there is none."""
    tables, rows, width, batch, count = sizes
    bags = [torch.nn.EmbeddingBag(rows, width, mode="sum", sparse=True) for _ in range(tables)]
    parameters = [bag.weight for bag in bags]
    made = {"sgd": lambda: torch.optim.SGD(parameters, lr=0.01), "adagrad": lambda: torch.optim.Adagrad(parameters, lr=0.01),
            "adam": lambda: torch.optim.SparseAdam(parameters, lr=0.01)}.get(optimizer)
    if made is None:
        return None
    update, offsets = made(), torch.arange(0, batch * count, count)
    gradient = torch.randn(batch, tables * width) * 1e-3

    def step():
        update.zero_grad()
        pooled = torch.cat([bag(ids[t], offsets) for t, bag in enumerate(bags)], dim=1)
        pooled.backward(gradient)
        update.step()

    return best_ms(seconds, step)


def fbgemm_ms(sizes, ids, optimizer, seconds):
    from fbgemm_gpu.split_embedding_configs import EmbOptimType
    from fbgemm_gpu.split_table_batched_embeddings_ops_common import EmbeddingLocation
    from fbgemm_gpu.split_table_batched_embeddings_ops_training import ComputeDevice, SplitTableBatchedEmbeddingBagsCodegen

    tables, rows, width, batch, count = sizes
    kind = {"sgd": EmbOptimType.EXACT_SGD, "adagrad": EmbOptimType.EXACT_ADAGRAD, "row_wise_adagrad": EmbOptimType.EXACT_ROWWISE_ADAGRAD,
            "adam": EmbOptimType.ADAM}[optimizer]
    module = SplitTableBatchedEmbeddingBagsCodegen([(rows, width, EmbeddingLocation.HOST, ComputeDevice.CPU)] * tables, optimizer=kind,
                                                   learning_rate=0.01)
    values, offsets = ids.reshape(-1), torch.arange(0, tables * batch * count + 1, count)
    gradient = torch.randn(batch, tables * width) * 1e-3
    return best_ms(seconds, lambda: module(values, offsets).backward(gradient))


def main():
    sizes = [int(word) for word in sys.argv[1:6]]
    optimizer, seconds, file = sys.argv[6], float(sys.argv[7]), sys.argv[8]
    torch.set_num_threads(int(os.environ.get("WEFT_NUM_THREADS", "2")))
    ids = torch.from_numpy(numpy.fromfile(file, dtype=numpy.int64)).reshape(sizes[0], -1)
    result = {}
    if (ms := torch_ms(sizes, ids, optimizer, seconds)) is not None:
        result["torch"] = ms
    try:
        result["fbgemm"] = fbgemm_ms(sizes, ids, optimizer, seconds)
    except Exception as error:  # whatever a version that does not fit raises
        result["fbgemm_left_out"] = f"{type(error).__name__}: {error}".splitlines()[0]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
