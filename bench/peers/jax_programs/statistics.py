"""Inference, sampling and filtering."""

import jax
import jax.numpy as jnp
import numpy as np
from program import chaotic_program, program

KEY = np.array([3, 4], np.uint32)


@program
def hamiltonian_monte_carlo(source):
    """Ten proposals of ten leapfrog steps each, for a logistic regression."""

    def sample(w, x, y, key):
        density = lambda w: jnp.sum(y * (x @ w) - jnp.logaddexp(0.0, x @ w)) - 0.5 * jnp.sum(w**2)
        slope = jax.grad(density)

        def proposal(w, key):
            first, second = jax.random.split(key)
            p = jax.random.normal(first, w.shape)

            def leap(_, state):
                v, q = state
                q = q + 0.005 * slope(v)
                v = v + 0.01 * q
                return v, q + 0.005 * slope(v)

            v, q = jax.lax.fori_loop(0, 10, leap, (w, p))
            gain = density(v) - 0.5 * jnp.sum(q**2) - density(w) + 0.5 * jnp.sum(p**2)
            w = jnp.where(jnp.log(jax.random.uniform(second)) < gain, v, w)
            return w, w

        return jax.lax.scan(proposal, w, jax.random.split(key, 10))[1]

    return sample, (source.normal(16, scale=0.1), source.normal(500, 16), source.integers(2, 500).astype(np.float32), KEY)


@program
def gaussian_process(source):
    """The gradient of the marginal likelihood with respect to the kernel's parameters."""

    def likelihood(parameters, x, y):
        width, scale, noise = jnp.exp(parameters)
        apart = jnp.sum((x[:, None] - x[None]) ** 2, -1)
        cholesky = jnp.linalg.cholesky(scale * jnp.exp(-0.5 * apart / width**2) + (noise + 1e-3) * jnp.eye(x.shape[0]))
        whitened = jax.scipy.linalg.solve_triangular(cholesky, y, lower=True)
        return -0.5 * whitened @ whitened - jnp.sum(jnp.log(jnp.diagonal(cholesky)))

    return jax.value_and_grad(likelihood), (np.zeros(3, np.float32), source.normal(200, 3), source.normal(200))


@program
def kalman_filter(source):
    def run(observed, a, c):
        q, r = 0.1 * jnp.eye(4), 0.5 * jnp.eye(2)

        def step(state, y):
            mean, covariance = state
            mean, covariance = a @ mean, a @ covariance @ a.T + q
            s = c @ covariance @ c.T + r
            gain = jnp.linalg.solve(s, c @ covariance).T
            mean = mean + gain @ (y - c @ mean)
            covariance = covariance - gain @ c @ covariance
            return (mean, covariance), mean

        return jax.lax.scan(step, (jnp.zeros(4), jnp.eye(4)), observed)[1]

    return run, (source.normal(200, 2), np.eye(4, dtype=np.float32) + source.normal(4, 4, scale=0.05), source.normal(2, 4))


@program
def hidden_markov_model(source):
    """The gradient of the likelihood of 32 sequences."""

    def likelihood(parameters, sequences):
        transition, emission = jax.nn.log_softmax(parameters[0]), jax.nn.log_softmax(parameters[1])

        def step(alpha, seen):
            return jax.nn.logsumexp(alpha[:, :, None] + transition, 1) + emission[:, seen].T, None

        alpha, _ = jax.lax.scan(step, jnp.zeros((32, 12)), sequences)
        return jnp.mean(jax.nn.logsumexp(alpha, 1))

    return jax.value_and_grad(likelihood), ((source.normal(12, 12), source.normal(12, 40)), source.integers(40, 100, 32))


@chaotic_program
def particle_filter(source):
    count = 1024

    def run(observed, key):
        def step(particles, inputs):
            y, key = inputs
            move, draw = jax.random.split(key)
            particles = 0.9 * particles + jax.random.normal(move, (count,))
            weights = jax.nn.softmax(-0.5 * (y - particles) ** 2)
            places = (jnp.arange(count) + jax.random.uniform(draw)) / count
            chosen = particles[jnp.searchsorted(jnp.cumsum(weights), places)]
            return chosen, jnp.sum(weights * particles)

        return jax.lax.scan(step, jnp.zeros(count), (observed, jax.random.split(key, 50)))[1]

    return run, (source.normal(50), KEY)


@program
def mixture_of_gaussians(source):
    """Twenty steps of expectation and maximisation."""

    def fit(x, means):
        def step(_, state):
            means, variances, weights = state
            log_p = jnp.log(weights) - 0.5 * jnp.sum((x[:, None] - means) ** 2 / variances + jnp.log(variances), -1)
            r = jax.nn.softmax(log_p)
            total = jnp.sum(r, 0)[:, None]
            means = r.T @ x / total
            return means, r.T @ x**2 / total - means**2 + 1e-3, total[:, 0] / x.shape[0]

        return jax.lax.fori_loop(0, 20, step, (means, jnp.ones((8, 4)), jnp.ones(8) / 8))

    return fit, (source.normal(4000, 4) + 3 * source.integers(4, 4000, 1), source.normal(8, 4) + 4)


@program
def nearest_centres(source):
    """Ten steps of k-means."""

    def fit(x, centres):
        def step(_, centres):
            which = jnp.argmin(jnp.sum((x[:, None] - centres) ** 2, -1), -1)
            sums = jax.ops.segment_sum(x, which, 16)
            return sums / jnp.maximum(jax.ops.segment_sum(jnp.ones(x.shape[0]), which, 16), 1)[:, None]

        return jax.lax.fori_loop(0, 10, step, centres)

    return fit, (source.normal(10000, 8), source.normal(16, 8))


@program
def bootstrap(source):
    """Quantiles of 200 resampled means and medians."""

    def run(x, key):
        def one(key):
            chosen = jnp.take(x, jax.random.randint(key, x.shape, 0, x.shape[0]))
            return jnp.mean(chosen), jnp.median(chosen)

        means, medians = jax.vmap(one)(jax.random.split(key, 200))
        at = jnp.array([0.05, 0.5, 0.95])
        return jnp.quantile(means, at), jnp.quantile(medians, at)

    return run, (source.normal(1000), KEY)


@program
def samples_of_gamma(source):
    """Rejection by a loop in every element."""
    return lambda key, shape: jax.random.gamma(key, shape), (KEY, source.uniform(2000, low=0.5, high=5))


@program
def principal_components(source):
    def run(x):
        x = x - jnp.mean(x, 0)
        values, vectors = jnp.linalg.eigh(x.T @ x / x.shape[0])
        return values[-8:], jnp.abs(x @ vectors[:, -2:])

    return run, (source.normal(2000, 64) @ source.normal(64, 64),)


@program
def variational_inference(source):
    """A hierarchical model (eight schools, widened), by the reparametrised gradient of 16 samples."""

    def bound(parameters, effects, errors, key):
        noise = jax.random.normal(key, (16, 66))
        z = parameters[0] + jnp.exp(parameters[1]) * noise
        mean, spread, each = z[:, :1], jnp.exp(z[:, 1:2]), z[:, 2:]
        log_p = jnp.sum(jax.scipy.stats.norm.logpdf(effects, mean + spread * each, errors), 1)
        prior = jnp.sum(jax.scipy.stats.norm.logpdf(each), 1) + jax.scipy.stats.norm.logpdf(mean[:, 0], 0, 5) + jax.scipy.stats.cauchy.logpdf(spread[:, 0], 0, 5)
        return -jnp.mean(log_p + prior) - jnp.sum(parameters[1])

    return (jax.value_and_grad(bound), ((np.zeros(66, np.float32), np.full(66, -1, np.float32)), source.normal(64, scale=10),
                                        source.uniform(64, low=9, high=18), KEY))


@program
def kernel_density(source):
    def run(x, grid):
        return jnp.mean(jnp.exp(-0.5 * ((grid[:, None] - x) / 0.2) ** 2), 1) / (0.2 * np.sqrt(2 * np.pi))

    return run, (source.normal(5000), np.linspace(-4, 4, 500, dtype=np.float32))
