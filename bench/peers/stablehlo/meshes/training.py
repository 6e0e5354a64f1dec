"""A training step with Adam of each model, in each layout."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from .case import Case, mesh_of
from .layouts import LAYOUTS, Layout
from .models import MODELS, Model


def gradient_of(model: Model, hint, params, batch):
    if model.microbatches == 1:
        return jax.value_and_grad(model.loss)(params, hint, *batch)

    def add(sums, microbatch):
        return jax.tree.map(jnp.add, sums, jax.value_and_grad(model.loss)(params, hint, *microbatch)), None

    sums, _ = jax.lax.scan(add, (0.0, jax.tree.map(jnp.zeros_like, params)), batch)
    return jax.tree.map(lambda x: x / model.microbatches, sums)


def step_of(model: Model, hint):
    def step(params, first, second, *batch):
        """Adam without bias correction; the moments may be any numbers."""
        value, gradient = gradient_of(model, hint, params, batch)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradient)
        params = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), params, first, second)
        return params, first, second, value

    return step


def case_of(model: Model, layout: Layout) -> Case:
    mesh = mesh_of(layout.mesh)

    def hint(x, *names):
        if not layout.is_hinted:
            return x
        return jax.lax.with_sharding_constraint(x, jax.sharding.NamedSharding(mesh, layout.spec(names)))

    generator = np.random.default_rng(0)
    first = jax.tree.map(lambda p: (0.01 * generator.standard_normal(p.shape)).astype(np.float32), model.params)
    second = jax.tree.map(lambda p: generator.uniform(0.5, 1, p.shape).astype(np.float32), model.params)
    params = jax.tree.map(layout.of_parameter, model.params, model.names)
    moments = jax.tree.map(layout.of_moment, model.params, model.names)
    batch = [layout.spec(names) for names in model.batch_names]
    return Case(model.name, layout.name, mesh, step_of(model, hint), step_of(model, lambda x, *_: x),
                (model.params, first, second, *model.batch), (params, moments, moments, *batch),
                (params, moments, moments, PartitionSpec()))


def training_cases(size: str) -> Iterator[Case]:
    for make in MODELS:
        model = make(size)
        for layout in LAYOUTS:
            yield case_of(model, model.layouts.get(layout.name, layout))
