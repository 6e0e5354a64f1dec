"""Losses and optimizers."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import optax
from jax import lax, nn
from program import Program

from .drawing import gradient, i32, value


def training() -> Iterator[Program]:
    logits = lambda draw: (draw(4, 5), draw(4, dtype=i32, low=0, high=4))  # noqa: E731
    yield gradient("cross_entropy", optax.softmax_cross_entropy_with_integer_labels, logits)
    yield gradient("cross_entropy_soft", optax.softmax_cross_entropy, lambda draw: (draw(4, 5), nn.softmax(draw(4, 5))))
    yield gradient("sigmoid_cross_entropy", optax.sigmoid_binary_cross_entropy, lambda draw: (draw(4, 5), draw(4, 5, low=0, high=1)))
    yield gradient("huber", optax.huber_loss, lambda draw: (draw(9), draw(9)))
    yield gradient("cosine", optax.cosine_similarity, lambda draw: (draw(4, 5), draw(4, 5)))
    yield gradient("ctc", lambda x, labels: optax.ctc_loss(x, jnp.zeros((2, 6)), labels, jnp.zeros((2, 3))),
                   lambda draw: (draw(2, 6, 4), draw(2, 3, dtype=i32, low=1, high=3)))
    optimizers = {
        "sgd": optax.sgd(0.1, 0.9, nesterov=True), "adam": optax.adam(1e-2), "adamw": optax.adamw(1e-2), "lamb": optax.lamb(1e-2),
        "lion": optax.lion(1e-2), "rmsprop": optax.rmsprop(1e-2, centered=True), "adagrad": optax.adagrad(1e-2), "adafactor": optax.adafactor(1e-2),
        "adabelief": optax.adabelief(1e-2), "adamax": optax.adamax(1e-2), "nadam": optax.nadam(1e-2), "radam": optax.radam(1e-2), "novograd": optax.novograd(1e-2),
        "yogi": optax.yogi(1e-2), "adadelta": optax.adadelta(1e-2), "sophia_free_clip": optax.chain(optax.adaptive_grad_clip(0.1), optax.sgd(0.1)),
        "cosine_schedule": optax.adam(optax.warmup_cosine_decay_schedule(0, 1e-2, 3, 10)), "accumulate": optax.MultiSteps(optax.adam(1e-2), 2).gradient_transformation(),
    }
    for name, optimizer in optimizers.items():
        def steps(w, x, o=optimizer):
            def step(carry, batch):
                w, state = carry
                loss, g = jax.value_and_grad(lambda v: jnp.mean(jnp.tanh(batch @ v["m"] + v["b"]) ** 2))(w)
                updates, state = o.update(g, state, w)
                return (optax.apply_updates(w, updates), state), loss
            (w, _), losses = lax.scan(step, (w, o.init(w)), x)
            return w, losses
        yield value(f"optax_{name}", steps, lambda draw: ({"m": draw(4, 3), "b": draw(3)}, draw(3, 5, 4)))
