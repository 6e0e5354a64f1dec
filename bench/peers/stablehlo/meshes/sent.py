"""What each device sends in the program that XLA compiles, if rings carry its collectives."""

from __future__ import annotations

import re

WIDTHS = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8}
COLLECTIVE = re.compile(r" = (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast)"
                        r"(?:-start)?\((.*)$")


def bytes_of(types: str) -> int:
    total = 0
    for dtype, sizes in re.findall(r"(\w+)\[([\d,]*)\]", types):
        size = WIDTHS[dtype]
        for n in sizes.split(","):
            size *= int(n) if n else 1
        total += size
    return total


def group_size(attributes: str) -> int:
    if listed := re.search(r"replica_groups=\{\{([\d,]*)\}", attributes):
        return listed[1].count(",") + 1
    if iota := re.search(r"replica_groups=\[([\d,]+)\]<=", attributes):
        return int(iota[1].split(",")[-1])
    if named := re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", attributes):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", named[1]))
        size = 1
        for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", named[2]):
            size *= int(part or sizes[axis])
        return size
    raise ValueError(f"no groups of devices are found in: {attributes}")


def sent_in(kind: str, results: int, n: int) -> float:
    """Returns what a device sends in one collective among n devices whose results have so many bytes."""
    if kind.startswith("collective"):
        return results
    whole = results * (n if kind == "reduce-scatter" else 1)
    return (2 if kind == "all-reduce" else 1) * (n - 1) / n * whole


def sent_by_xla(program: str) -> tuple[int, float]:
    """Returns the number of collectives of compiled HLO text and the bytes that a device sends; loops count as often as they run."""
    computations: dict[str, list[str]] = {}
    name = entry = ""
    for line in program.splitlines():
        if header := re.match(r"(ENTRY )?%?([\w.\-]+) .*\{$", line):
            name = header[2]
            entry = name if header[1] else entry
            computations[name] = []
        elif name:
            computations[name].append(line)

    def total(of: str) -> tuple[int, float]:
        count, sent = 0, 0.0
        for line in computations[of]:
            if found := COLLECTIVE.search(line):
                count += 1
                n = 1 if found[2].startswith("collective") else group_size(found[3])
                sent += sent_in(found[2], bytes_of(found[1]), n)
            elif found := re.search(r" while\(.*body=%?([\w.\-]+)", line):
                rounds = re.search(r'"known_trip_count":\{"n":"(\d+)"', line)
                inner, inner_sent = total(found[1])
                if inner and not rounds:
                    raise ValueError(f"XLA does not say how often a loop with collectives runs: {line}")
                count += inner
                sent += inner_sent * (int(rounds[1]) if rounds else 1)
            elif found := re.search(r" (?:call|conditional)\(", line):
                for called in re.findall(r"(?:to_apply|_computation|branch_computations=\{)=?%?([\w.\-]+)", line):
                    inner, inner_sent = total(called)
                    count, sent = count + inner, sent + inner_sent
        return count, sent

    return total(entry)
