"""Random distributions and their densities."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
from jax.scipy import stats
from program import Program

from .drawing import gradient, value


def distributions() -> Iterator[Program]:
    key = lambda draw: (draw.key(),)  # noqa: E731
    samplers = {
        "weibull": lambda k: jax.random.weibull_min(k, 2.0, 1.5, (6,)), "t": lambda k: jax.random.t(k, 3.0, (6,)), "chisquare": lambda k: jax.random.chisquare(k, 3.0, (5,)),
        "f": lambda k: jax.random.f(k, 3.0, 5.0, (5,)), "pareto": lambda k: jax.random.pareto(k, 2.0, (6,)),
        "binomial": lambda k: jax.random.binomial(k, 10.0, 0.4, (6,)), "geometric": lambda k: jax.random.geometric(k, 0.3, (6,)), "lognormal": lambda k: jax.random.lognormal(k, 0.5, (6,)),
        "maxwell": lambda k: jax.random.maxwell(k, (6,)), "double_maxwell": lambda k: jax.random.double_sided_maxwell(k, 0.0, 1.0, (6,)), "loggamma": lambda k: jax.random.loggamma(k, 0.5, (6,)),
        "rayleigh": lambda k: jax.random.rayleigh(k, 1.5, (6,)), "triangular": lambda k: jax.random.triangular(k, 0.0, 0.3, 1.0, (6,)), "wald": lambda k: jax.random.wald(k, 1.0, (6,)),
        "generalized_normal": lambda k: jax.random.generalized_normal(k, 1.5, (6,)), "multinomial": lambda k: jax.random.multinomial(k, 10.0, jnp.array([0.2, 0.3, 0.5])), "choice_p": lambda k: jax.random.choice(k, 5, (7,), p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])),
        "choice_axis": lambda k: jax.random.choice(k, jnp.arange(12.0).reshape(3, 4), (2,), replace=False, axis=1), "permutation_independent": lambda k: jax.random.permutation(k, jnp.arange(12).reshape(3, 4), axis=1, independent=True),
        "randint_wide": lambda k: (jax.random.randint(k, (5,), 0, 255, jnp.uint8), jax.random.randint(k, (5,), -7, 7, jnp.int8)), "normal_f16": lambda k: jax.random.normal(k, (7,), jnp.float16), "complex_normal": lambda k: jax.random.normal(k, (5,), jnp.complex64),
        "vmap_keys": lambda k: jax.vmap(lambda k: jax.random.normal(k, (2,)))(jax.random.split(k, 3)), "clone": lambda k: jax.random.uniform(jax.random.clone(jax.random.wrap_key_data(k)), (3, 3), minval=-1, maxval=4),
        "gamma_vector": lambda k: jax.random.gamma(k, jnp.array([0.3, 1.0, 7.0])), "categorical_no_replace": lambda k: jax.random.categorical(k, jnp.log(jnp.arange(1.0, 6.0)), shape=(3,), replace=False),
    }
    for name, function in samplers.items():
        yield value(f"random_{name}", function, key)
    yield gradient("gamma_gradient", lambda a, k: jax.random.gamma(k, a), lambda draw: (draw(4, low=0.5, high=3), draw.key()))
    x = lambda draw: (draw(6, low=0.1, high=0.9),)  # noqa: E731
    for name, function in {
        "norm": lambda x: (stats.norm.logpdf(x), stats.norm.cdf(x), stats.norm.ppf(x), stats.norm.logcdf(-3 * x)), "beta": lambda x: (stats.beta.logpdf(x, 2.0, 3.0),), "gamma": lambda x: (stats.gamma.logpdf(x, 2.0),),
        "t": lambda x: stats.t.logpdf(x, 3.0), "cauchy": lambda x: (stats.cauchy.logpdf(x), stats.cauchy.cdf(x)), "laplace": lambda x: (stats.laplace.logpdf(x), stats.laplace.cdf(x)), "logistic": lambda x: (stats.logistic.logpdf(x), stats.logistic.ppf(x)),
        "poisson": lambda x: stats.poisson.logpmf(jnp.arange(6), x * 5), "dirichlet": lambda x: stats.dirichlet.logpdf(x / x.sum(), jnp.arange(1.0, 7.0)), "expon": lambda x: (stats.expon.logpdf(x), stats.expon.cdf(x)), "pareto": lambda x: stats.pareto.logpdf(x + 1, 2.0),
        "truncnorm": lambda x: stats.truncnorm.logpdf(x, -1.0, 2.0), "vonmises": lambda x: stats.vonmises.logpdf(x, 2.0), "wrapcauchy": lambda x: stats.wrapcauchy.logpdf(x, 0.3),
        "binom": lambda x: stats.binom.logpmf(jnp.arange(6), 7, x), "rankdata": lambda x: stats.rankdata(x), "mode": lambda x: stats.mode(jnp.round(x * 3)).mode, "sem": lambda x: stats.sem(x),
    }.items():
        yield (value if name in ("rankdata", "mode") else gradient)(f"stats_{name}", function, x)
