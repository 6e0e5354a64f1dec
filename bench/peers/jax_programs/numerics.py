"""Optimisation, equations, finance and graphs."""

import jax
import jax.numpy as jnp
import numpy as np
from program import program


@program
def conjugate_gradients(source):
    def run(b):
        def apply(x):
            x = x.reshape(128, 128)
            p = jnp.pad(x, 1)
            return (4.1 * x - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]).reshape(-1)

        return jax.scipy.sparse.linalg.cg(apply, b, maxiter=30)[0]

    return run, (source.normal(128 * 128),)


@program
def newton_steps(source):
    """Five steps with the Hessian of a logistic loss."""

    def run(w, x, y):
        loss = lambda w: jnp.mean(jnp.logaddexp(0.0, x @ w) - y * (x @ w)) + 0.01 * w @ w
        return jax.lax.fori_loop(0, 5, lambda _, w: w - jnp.linalg.solve(jax.hessian(loss)(w), jax.grad(loss)(w)), w)

    return run, (source.normal(32, scale=0.1), source.normal(1000, 32), source.integers(2, 1000).astype(np.float32))


@program
def fitted_curves(source):
    """Levenberg and Marquardt's method for 100 curves at once."""
    t = np.linspace(0, 1, 50, dtype=np.float32)

    def fit(p, y):
        residual = lambda p: p[0] * jnp.exp(-p[1] * t) + p[2] - y

        def step(_, p):
            j, r = jax.jacfwd(residual)(p), residual(p)
            return p - jnp.linalg.solve(j.T @ j + 0.3 * jnp.eye(3), j.T @ r)

        return jax.lax.fori_loop(0, 10, step, p)

    return jax.vmap(fit), (source.uniform(100, 3, low=0.5, high=2), source.uniform(100, 50))


@program
def differential_equation(source):
    """Steps of an adaptive length, chosen by the error: a loop whose count is not known."""
    from jax.experimental.ode import odeint

    def run(start, rates):
        slope = lambda y, t: jnp.stack([rates[0] * y[0] - rates[1] * y[0] * y[1], rates[2] * y[0] * y[1] - rates[3] * y[1]])
        return odeint(slope, start, jnp.linspace(0.0, 10.0, 20))

    return run, (np.array([10.0, 5.0], np.float32), np.array([1.1, 0.4, 0.1, 0.4], np.float32))


@program
def option_prices(source):
    """Paths of an Asian option and its sensitivities."""

    def price(market, key):
        spot, rate, volatility = market
        steps = jax.random.normal(key, (10000, 32))
        paths = spot * jnp.exp(jnp.cumsum((rate - 0.5 * volatility**2) / 32 + volatility * (1 / 32) ** 0.5 * steps, 1))
        return jnp.exp(-rate) * jnp.mean(jnp.maximum(jnp.mean(paths, 1) - 100, 0))

    return jax.value_and_grad(price), (np.array([100, 0.05, 0.2], np.float32), np.array([0, 5], np.uint32))


@program
def binomial_trees(source):
    """American puts: 200 levels backward for 64 strikes."""
    n = 200
    up, rate = np.exp(0.2 * (1 / n) ** 0.5), 0.05 / n
    chance = (np.exp(rate) - 1 / up) / (up - 1 / up)

    def run(strikes):
        spots = 100 * up ** (2 * jnp.arange(n + 1.0) - n)
        worth = lambda spots: jnp.maximum(strikes[:, None] - spots, 0)

        def level(_, state):
            values, spots = state
            later = jnp.concatenate([values[:, 1:], values[:, -1:]], 1)
            spots = spots * up
            return jnp.maximum(np.exp(-rate) * (chance * later + (1 - chance) * values), worth(spots)), spots

        return jax.lax.fori_loop(0, n, level, (worth(spots), spots))[0][:, 0]

    return run, (source.uniform(64, low=80, high=120),)


@program
def transport_plan(source):
    """Sinkhorn's iterations in logarithms."""

    def run(x, y):
        cost = jnp.sum((x[:, None] - y[None]) ** 2, -1) / 0.5

        def step(_, state):
            f, g = state
            f = -jax.nn.logsumexp(g - cost, 1)
            return f, -jax.nn.logsumexp(f[:, None] - cost, 0)

        f, g = jax.lax.fori_loop(0, 20, step, (jnp.zeros(256), jnp.zeros(256)))
        return jnp.sum(jnp.exp(f[:, None] + g - cost) * cost)

    return run, (source.normal(256, 4), source.normal(256, 4))


@program
def model_predictive_control(source):
    """A gradient of the cost of 50 controls of a car for 64 starts, ten steps of descent."""

    def cost(controls, start):
        def step(state, u):
            x, y, heading, speed = state
            state = jnp.stack([x + 0.1 * speed * jnp.cos(heading), y + 0.1 * speed * jnp.sin(heading), heading + 0.1 * u[0], speed + 0.1 * u[1]])
            return state, jnp.sum((state - jnp.array([5.0, 3.0, 0.0, 0.0])) ** 2) + 0.1 * jnp.sum(u**2)

        return jnp.sum(jax.lax.scan(step, start, controls)[1])

    def plan(controls, start):
        return jax.lax.fori_loop(0, 10, lambda _, u: u - 1e-4 * jax.grad(cost)(u, start), controls)

    return jax.vmap(plan), (source.normal(64, 50, 2, scale=0.1), source.normal(64, 4))


@program
def linear_program(source):
    """Primal and dual steps with a dense matrix."""

    def run(a, b, c):
        size = 0.9 / jnp.sqrt(jnp.sum(a**2))

        def step(_, state):
            x, y = state
            following = jnp.maximum(x - size * (c - a.T @ y), 0)
            return following, y + size * (b - a @ (2 * following - x))

        return jax.lax.fori_loop(0, 100, step, (jnp.zeros(300), jnp.zeros(200)))

    return run, (source.normal(200, 300), source.normal(200), source.uniform(300))


@program
def page_rank(source):
    nodes, edges = 10000, 100000

    def run(senders, receivers):
        out = jnp.maximum(jnp.zeros(nodes).at[senders].add(1.0), 1.0)

        def step(_, rank):
            return 0.15 / nodes + 0.85 * jnp.zeros(nodes).at[receivers].add((rank / out)[senders])

        return jax.lax.fori_loop(0, 10, step, jnp.full(nodes, 1 / nodes))

    return run, (source.integers(nodes, edges), source.integers(nodes, edges))


@program
def shortest_paths(source):
    """Relaxes all edges until no distance changes."""
    nodes, edges = 2000, 10000

    def run(senders, receivers, lengths):
        def step(state):
            far, _ = state
            nearer = far.at[receivers].min(far[senders] + lengths)
            return nearer, jnp.any(nearer < far)

        start = jnp.full(nodes, jnp.inf).at[0].set(0)
        return jax.lax.while_loop(lambda s: s[1], step, (start, jnp.bool_(True)))[0]

    return run, (source.integers(nodes, edges), source.integers(nodes, edges), source.uniform(edges))


@program
def escape_times(source):
    def run(c):
        def step(_, state):
            z, count = state
            inside = jnp.abs(z) <= 2
            return jnp.where(inside, z * z + c, z), count + inside

        return jax.lax.fori_loop(0, 50, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]

    x, y = np.meshgrid(np.linspace(-2, 1, 256), np.linspace(-1.5, 1.5, 256))
    return run, ((x + 1j * y).astype(np.complex64),)


@program
def pairs_of_words(source):
    """Sorts and counts: the most frequent ids of a text, and where each begins."""

    def run(ids):
        counts = jnp.bincount(ids, length=5000)
        order = jnp.argsort(ids, stable=True)
        _, frequent = jax.lax.top_k(counts, 16)
        return frequent, jnp.searchsorted(ids[order], frequent)

    return run, (source.integers(5000, 20000),)


@program
def life(source):
    def step(board):
        around = sum(jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return ((around == 3) | ((board == 1) & (around == 2))).astype(jnp.int32)

    return lambda board: jax.lax.fori_loop(0, 20, lambda _, b: step(b), board), (source.integers(2, 256, 256),)


@program
def polynomials_by_parts(source):
    """Cubic splines through 1,000 places: a tridiagonal system by two scans, then evaluation by a search."""

    def run(y, at):
        n = y.shape[0]
        right = 6 * (y[2:] - 2 * y[1:-1] + y[:-2])

        def forward(state, r):
            c, d = state
            below = 1 / (4 - c)
            return (below, (r - d) * below), (below, (r - d) * below)

        _, (c, d) = jax.lax.scan(forward, (0.0, 0.0), right)
        _, inner = jax.lax.scan(lambda m, cd: ((cd[1] - cd[0] * m),) * 2, 0.0, (c, d), reverse=True)
        m = jnp.concatenate([jnp.zeros(1), inner, jnp.zeros(1)])
        i = jnp.clip(jnp.searchsorted(jnp.arange(n, dtype=jnp.float32), at, side="right") - 1, 0, n - 2)
        t = at - i
        return (m[i] * (1 - t) ** 3 + m[i + 1] * t**3) / 6 + (y[i] - m[i] / 6) * (1 - t) + (y[i + 1] - m[i + 1] / 6) * t

    return run, (source.normal(1000), source.uniform(20000, high=999))
