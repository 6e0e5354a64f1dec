"""Models in plain JAX: parameters whose dimensions have names, and a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .layouts import Layout, with_axes

HEADS = 8


@dataclass(frozen=True)
class Model:
    name: str
    loss: Callable[..., jax.Array]  # of the parameters, a function that hints how an activation is split, and the batch
    params: Any
    names: Any  # of the dimensions of the parameters
    batch: Sequence[np.ndarray]
    batch_names: Sequence[tuple[str | None, ...]]
    layouts: dict[str, Layout] = field(default_factory=dict)  # where a layout needs another mesh for this model
    microbatches: int = 1  # if more, the first dimension of the batch


class Maker:
    """Draws parameters and keeps the names of their dimensions."""

    def __init__(self, seed: int):
        self.generator = np.random.default_rng(seed)

    def normal(self, shape: tuple[int, ...], scale: float = 1.0) -> np.ndarray:
        return (scale * self.generator.standard_normal(shape)).astype(np.float32)

    def integers(self, high: int, shape: tuple[int, ...]) -> np.ndarray:
        return self.generator.integers(0, high, shape).astype(np.int32)

    def weight(self, sizes: dict[str, int]) -> Named:
        shape = tuple(sizes.values())
        return Named(self.normal(shape, scale=int(np.prod(shape[:-1])) ** -0.5), tuple(sizes))

    def vector(self, name: str, size: int, value: float = 0.0) -> Named:
        return Named(value + self.normal((size,), scale=0.1), (name,))


@dataclass(frozen=True)
class Named:
    array: np.ndarray
    names: tuple[str | None, ...]


class Names(tuple):
    """The names of one parameter's dimensions: a leaf of a tree."""


def separated(tree) -> dict[str, Any]:
    is_leaf = lambda leaf: isinstance(leaf, Named)  # noqa: E731
    return {"params": jax.tree.map(lambda leaf: leaf.array, tree, is_leaf=is_leaf),
            "names": jax.tree.map(lambda leaf: Names(leaf.names), tree, is_leaf=is_leaf)}


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits, -1), labels[..., None], -1))


def sizes_of(size: str, tiny: dict[str, int], full: dict[str, int]) -> dict[str, int]:
    return tiny if size == "tiny" else full


# ---- a multilayer perceptron, and the same with dropout


def perceptron_params(make: Maker, width: int, hidden: int, layers: int):
    layer = lambda: {"up": make.weight({"in": width, "hidden": hidden}), "bias": make.vector("hidden", hidden),  # noqa: E731
                     "down": make.weight({"hidden": hidden, "out": width}), "offset": make.vector("out", width)}
    return [layer() for _ in range(layers)]


def mlp(size: str) -> Model:
    s = sizes_of(size, {"batch": 16, "width": 16, "hidden": 32}, {"batch": 64, "width": 128, "hidden": 512})
    make = Maker(1)

    def loss(params, hint, x, labels):
        for layer in params:
            x = hint(x, "batch", "sequence")
            x = x + jax.nn.relu(x @ layer["up"] + layer["bias"]) @ layer["down"] + layer["offset"]
        return cross_entropy(x, labels)

    batch = (make.normal((s["batch"], s["width"])), make.integers(s["width"], (s["batch"],)))
    return Model("mlp", loss, **separated(perceptron_params(make, s["width"], s["hidden"], 3)), batch=batch,
                 batch_names=(("batch", None), ("batch",)))


def dropout(size: str) -> Model:
    s = sizes_of(size, {"batch": 16, "width": 16, "hidden": 32}, {"batch": 64, "width": 128, "hidden": 512})
    make = Maker(2)

    def loss(params, hint, x, labels, key):
        for i, layer in enumerate(params):
            x = hint(x, "batch", "sequence")
            inner = jax.nn.relu(x @ layer["up"] + layer["bias"])
            kept = jax.random.bernoulli(jax.random.fold_in(key, i), 0.9, inner.shape)
            x = x + jnp.where(kept, inner / 0.9, 0) @ layer["down"] + layer["offset"]
        return cross_entropy(x, labels)

    batch = (make.normal((s["batch"], s["width"])), make.integers(s["width"], (s["batch"],)),
             np.array([1, 2], np.uint32))
    return Model("dropout", loss, **separated(perceptron_params(make, s["width"], s["hidden"], 2)), batch=batch,
                 batch_names=(("batch", None), ("batch",), (None,)))


# ---- transformers: a decoder with a tied head, and a vision transformer


def block_params(make: Maker, width: int, hidden: int):
    square = lambda *names: make.weight(dict(zip(names, (width, width))))  # noqa: E731
    return {"query": square("in", "heads"), "key": square("in", "heads"), "value": square("in", "heads"),
            "out": square("heads", "out"), "up": make.weight({"in": width, "hidden": hidden}),
            "down": make.weight({"hidden": hidden, "out": width}), "norm1": make.vector("in", width, 1.0),
            "norm2": make.vector("in", width, 1.0)}


def attention(x, layer, is_causal):
    batch, context, width = x.shape
    query, key, value = ((x @ layer[name]).reshape(batch, context, HEADS, width // HEADS)
                         for name in ("query", "key", "value"))
    scores = jnp.einsum("bthd,bshd->bhts", query, key) / np.sqrt(width // HEADS)
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones((context, context), bool)), scores, -1e9)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, -1), value).reshape(x.shape) @ layer["out"]


def block(x, layer, hint, is_causal):
    x = hint(x, "batch", "sequence", None)
    x = x + attention(norm(x, layer["norm1"]), layer, is_causal)
    x = hint(x, "batch", "sequence", None)
    return x + jax.nn.gelu(norm(x, layer["norm2"]) @ layer["up"]) @ layer["down"]


def lm(size: str) -> Model:
    s = sizes_of(size, {"layers": 2, "width": 16, "hidden": 32, "words": 64, "batch": 8, "context": 8},
                 {"layers": 4, "width": 128, "hidden": 512, "words": 1024, "batch": 64, "context": 32})
    make = Maker(3)
    tree = {"words": make.weight({"words": s["words"], "out": s["width"]}),
            "positions": make.weight({"context": s["context"], "out": s["width"]}),
            "layers": [block_params(make, s["width"], s["hidden"]) for _ in range(s["layers"])]}

    def loss(params, hint, tokens):
        x = params["words"][tokens] + params["positions"]
        for layer in params["layers"]:
            x = block(x, layer, hint, is_causal=True)
        x = hint(x, "batch", "sequence", None)
        return cross_entropy((x @ params["words"].T)[:, :-1], tokens[:, 1:])

    return Model("lm", loss, **separated(tree), batch=(make.integers(s["words"], (s["batch"], s["context"])),),
                 batch_names=(("batch", None),))


def vit(size: str) -> Model:
    s = sizes_of(size, {"layers": 1, "width": 16, "hidden": 32, "batch": 8, "side": 16},
                 {"layers": 2, "width": 128, "hidden": 512, "batch": 32, "side": 32})
    patch, classes, make = 4, 16, Maker(4)
    patches = (s["side"] // patch) ** 2
    tree = {"patch": make.weight({"pixels": 3 * patch * patch, "out": s["width"]}),
            "positions": make.weight({"context": patches, "out": s["width"]}),
            "layers": [block_params(make, s["width"], s["hidden"]) for _ in range(s["layers"])],
            "head": make.weight({"in": s["width"], "classes": classes})}

    def loss(params, hint, images, labels):
        batch, side, _, channels = images.shape
        cut = images.reshape(batch, side // patch, patch, side // patch, patch, channels)
        x = cut.transpose(0, 1, 3, 2, 4, 5).reshape(batch, patches, -1) @ params["patch"] + params["positions"]
        for layer in params["layers"]:
            x = block(x, layer, hint, is_causal=False)
        return cross_entropy(jnp.mean(hint(x, "batch", "sequence", None), 1) @ params["head"], labels)

    return Model("vit", loss, **separated(tree),
                 batch=(make.normal((s["batch"], s["side"], s["side"], 3)), make.integers(classes, (s["batch"],))),
                 batch_names=(("batch", None, None, None), ("batch",)))


# ---- a residual block of convolutions; "sequence" splits the rows of the images


def resnet(size: str) -> Model:
    s = sizes_of(size, {"batch": 8, "side": 16, "channels": 8}, {"batch": 32, "side": 32, "channels": 32})
    classes, make = 16, Maker(5)
    kernel = lambda size, ins, outs: make.weight({"height": size, "width": size, **ins, **outs})  # noqa: E731
    wide, names = s["channels"], ("batch", "sequence", None, None)
    tree = {"stem": kernel(3, {"colors": 3}, {"out": wide}), "first": kernel(3, {"in": wide}, {"hidden": wide}),
            "scale": make.vector("hidden", wide, 1.0), "second": kernel(3, {"hidden": wide}, {"out": wide}),
            "down": kernel(2, {"in": wide}, {"out": wide}), "head": make.weight({"in": wide, "classes": classes})}

    def convolved(x, weight, stride=1, padding="SAME"):
        return jax.lax.conv_general_dilated(x, weight, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pooled(x, size, stride):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, size, size, 1), (1, stride, stride, 1), "SAME")

    def loss(params, hint, images, labels):
        x = hint(convolved(hint(images, *names), params["stem"]), *names)
        inner = convolved(x, params["first"])
        inner = inner - jnp.mean(inner, (0, 1, 2))
        inner = inner * jax.lax.rsqrt(jnp.mean(inner * inner, (0, 1, 2)) + 1e-5) * params["scale"]
        x = hint(x + convolved(jax.nn.relu(inner), params["second"]), *names)
        x = hint(pooled(x, 3, 1), *names)
        x = hint(convolved(x, params["down"], 2, "VALID"), *names)
        return cross_entropy(jnp.mean(jax.nn.relu(x), (1, 2)) @ params["head"], labels)

    return Model("resnet", loss, **separated(tree),
                 batch=(make.normal((s["batch"], s["side"], s["side"], 3)), make.integers(classes, (s["batch"],))),
                 batch_names=(names, ("batch",)))


# ---- a mixture of experts; "sequence" gives each device one expert and a part of the tokens, so tokens move to their experts


def moe(size: str) -> Model:
    s = sizes_of(size, {"tokens": 64, "width": 16, "hidden": 32}, {"tokens": 1024, "width": 128, "hidden": 256})
    experts, groups, make = 8, 8, Maker(6)
    capacity = 2 * s["tokens"] // groups // experts
    tree = {"router": make.weight({"in": s["width"], "choices": experts}),
            "up": make.weight({"experts": experts, "in": s["width"], "inner": s["hidden"]}),
            "down": make.weight({"experts": experts, "inner": s["hidden"], "out": s["width"]})}

    def loss(params, hint, x, targets):  # [groups, tokens of a group, width]
        gates = jax.nn.softmax(x @ params["router"], -1)
        choice = jax.nn.one_hot(jnp.argmax(gates, -1), experts)
        place = (jnp.cumsum(choice, 1) - 1) * choice
        sent = choice[..., None] * jax.nn.one_hot(place, capacity) * (place < capacity)[..., None]
        inputs = hint(jnp.einsum("gtec,gtd->egcd", sent, x), "experts", None, None, None)
        inner = jax.nn.relu(jnp.einsum("egcd,edh->egch", inputs, params["up"]))
        outputs = hint(jnp.einsum("egch,ehd->egcd", inner, params["down"]), "experts", None, None, None)
        outputs = hint(outputs, None, "batch", None, None)
        y = jnp.einsum("gtec,egcd->gtd", sent * jnp.max(gates, -1)[..., None, None], outputs)
        return jnp.mean((x + y - targets) ** 2)

    shape = (groups, s["tokens"] // groups, s["width"])
    expert_parallel = with_axes("sequence", {"data": 8}, {"batch": "data", "experts": "data"})
    return Model("moe", loss, **separated(tree), batch=(make.normal(shape), make.normal(shape)),
                 batch_names=(("batch", None, None),) * 2, layouts={"sequence": expert_parallel})


# ---- a table of which rows are read and to which gradients are added; "tensor" and "sequence" split its rows


def embedding(size: str) -> Model:
    s = sizes_of(size, {"rows": 64, "width": 16, "batch": 16}, {"rows": 4096, "width": 128, "batch": 128})
    words, make = 8, Maker(7)
    tree = {"table": make.weight({"rows": s["rows"], "out": s["width"]}), "head": make.weight({"in": s["width"], "out": s["width"]})}

    def loss(params, hint, indices, targets):
        x = hint(jnp.sum(params["table"][indices], 1), "batch", None)
        return jnp.mean((jnp.tanh(x @ params["head"]) - targets) ** 2)

    both = with_axes("sequence", {"data": 8}, {"batch": "data", "rows": "data"})
    return Model("embedding", loss, **separated(tree),
                 batch=(make.integers(s["rows"], (s["batch"], words)), make.normal((s["batch"], s["width"]))),
                 batch_names=(("batch", None), ("batch", None)), layouts={"sequence": both})


# ---- loops: over layers, and over the microbatches of an accumulated gradient


def scan_layers(size: str) -> Model:
    s = sizes_of(size, {"layers": 3, "batch": 16, "width": 16, "hidden": 32}, {"layers": 6, "batch": 64, "width": 128, "hidden": 512})
    make, layers = Maker(8), s["layers"]
    tree = {"up": make.weight({"layers": layers, "in": s["width"], "hidden": s["hidden"]}),
            "down": make.weight({"layers": layers, "hidden": s["hidden"], "out": s["width"]}),
            "norm": Named(np.ones((layers, s["width"]), np.float32), ("layers", "in"))}

    def loss(params, hint, x, labels):
        def layer(x, weights):
            x = hint(x, "batch", "sequence")
            return x + jax.nn.relu(norm(x, weights["norm"]) @ weights["up"]) @ weights["down"], None

        return cross_entropy(jax.lax.scan(layer, x, params)[0], labels)

    return Model("scan_layers", loss, **separated(tree),
                 batch=(make.normal((s["batch"], s["width"])), make.integers(s["width"], (s["batch"],))),
                 batch_names=(("batch", None), ("batch",)))


def accumulation(size: str) -> Model:
    s = sizes_of(size, {"batch": 16, "width": 16, "hidden": 32}, {"batch": 64, "width": 128, "hidden": 512})
    rounds, make = 4, Maker(9)

    def loss(params, hint, x, labels):
        for layer in params:
            x = hint(x, "batch", "sequence")
            x = x + jax.nn.relu(x @ layer["up"] + layer["bias"]) @ layer["down"] + layer["offset"]
        return cross_entropy(x, labels)

    batch = (make.normal((rounds, s["batch"], s["width"])), make.integers(s["width"], (rounds, s["batch"])))
    return Model("accumulation", loss, **separated(perceptron_params(make, s["width"], s["hidden"], 2)), batch=batch,
                 batch_names=((None, "batch", None), (None, "batch")), microbatches=rounds)


MODELS = (mlp, lm, vit, resnet, moe, embedding, scan_layers, accumulation, dropout)
