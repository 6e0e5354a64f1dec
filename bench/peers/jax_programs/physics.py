"""Simulations of physics, many steps in one program."""

import jax
import jax.numpy as jnp
import numpy as np
from program import program


def repeat(step, count):
    """Returns a function that applies `step` to a state `count` times."""
    return lambda state: jax.lax.fori_loop(0, count, lambda _, s: step(s), state)


@program
def bodies_that_attract(source):
    def acceleration(x, mass):
        apart = x[None] - x[:, None]
        near = (jnp.sum(apart**2, -1) + 1e-2) ** -1.5
        return jnp.einsum("ijk,ij,j->ik", apart, near, mass)

    def simulate(x, v, mass):
        def step(state):
            x, v = state
            v = v + 0.005 * acceleration(x, mass)
            return x + 0.01 * v, v

        return repeat(step, 20)((x, v))

    return simulate, (source.normal(256, 3), source.normal(256, 3, scale=0.1), source.uniform(256) / 256)


@program
def planets_one_by_one(source):
    """Six bodies whose coordinates are scalars: hundreds of small operations in each step."""

    def simulate(x, v, mass):
        def step(state):
            x, v = state
            pulls = [[mass[j] * (x[j] - x[i]) / (jnp.sum((x[j] - x[i]) ** 2) + 0.1) ** 1.5 for j in range(6) if j != i] for i in range(6)]
            v = [v[i] + 0.01 * sum(pulls[i]) for i in range(6)]
            return [x[i] + 0.01 * v[i] for i in range(6)], v

        return repeat(step, 200)(([x[i] for i in range(6)], [v[i] for i in range(6)]))

    return simulate, (source.normal(6, 3), source.normal(6, 3, scale=0.1), source.uniform(6))


@program
def molecular_dynamics(source):
    """Lennard-Jones particles in a periodic box; forces are the gradient of the energy."""
    side = 6.0

    def energy(x):
        apart = x[:, None] - x[None]
        apart = apart - side * jnp.round(apart / side)
        squared = jnp.sum(apart**2, -1) + 10 * side * jnp.eye(x.shape[0])
        inverse = jnp.where(squared < 6.25, 1 / squared, 0) ** 3
        return 2 * jnp.sum(inverse**2 - inverse)

    def simulate(x, v):
        def step(state):
            x, v, force = state
            v = v + 0.5e-3 * force
            x = jnp.mod(x + 1e-3 * v, side)
            force = -jax.grad(energy)(x)
            return x, v + 0.5e-3 * force, force

        return repeat(step, 10)((x, v, -jax.grad(energy)(x)))

    grid = np.stack(np.meshgrid(*[np.arange(5) * 1.2] * 3), -1).reshape(-1, 3).astype(np.float32)
    return simulate, (grid + source.normal(125, 3, scale=0.02), source.normal(125, 3, scale=0.1))


@program
def heat_in_a_plate(source):
    def step(u):
        inside = u[1:-1, 1:-1] + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        return u.at[1:-1, 1:-1].set(inside)

    return repeat(step, 50), (source.uniform(512, 512),)


@program
def wave_by_rolls(source):
    def step(state):
        u, before = state
        laplacian = sum(jnp.roll(u, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * u
        return 2 * u - before + 0.1 * laplacian, u

    return repeat(step, 50), ((source.normal(256, 256), source.normal(256, 256)),)


@program
def reaction_and_diffusion(source):
    kernel = np.array([[0.05, 0.2, 0.05], [0.2, -1, 0.2], [0.05, 0.2, 0.05]], np.float32)[None, None]

    def step(state):
        a, b = state
        spread = lambda x: jax.lax.conv_general_dilated(jnp.pad(x, 1, "wrap")[None, None], kernel, (1, 1), "VALID")[0, 0]
        eaten = a * b * b
        return a + spread(a) - eaten + 0.055 * (1 - a), b + 0.5 * spread(b) + eaten - 0.117 * b

    return repeat(step, 20), ((source.uniform(256, 256), source.uniform(256, 256)),)


@program
def lattice_boltzmann(source):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)

    def step(f):
        density = jnp.sum(f, 0)
        ux, uy = (jnp.tensordot(c.astype(np.float32), f, 1) / density for c in (cx, cy))
        along = cx[:, None, None] * ux + cy[:, None, None] * uy
        rest = density * weights[:, None, None] * (1 + 3 * along + 4.5 * along**2 - 1.5 * (ux**2 + uy**2))
        f = f + (rest - f) / 0.6
        return jnp.stack([jnp.roll(f[i], (cx[i], cy[i]), (0, 1)) for i in range(9)])

    return repeat(step, 10), (weights[:, None, None] * (1 + 0.1 * source.uniform(9, 128, 256)),)


@program
def magnets_on_a_lattice(source):
    """Metropolis steps of the Ising model on a chessboard's two colours."""
    board = np.indices((128, 128)).sum(0) % 2

    def simulate(spins, key):
        def sweep(state):
            spins, key = state
            for colour in (0, 1):
                key, part = jax.random.split(key)
                around = sum(jnp.roll(spins, shift, axis) for shift in (1, -1) for axis in (0, 1))
                flip = (jax.random.uniform(part, spins.shape) < jnp.exp(-0.88 * spins * around)) & (board == colour)
                spins = jnp.where(flip, -spins, spins)
            return spins, key

        return repeat(sweep, 10)((spins, key))[0]

    return simulate, (np.sign(source.normal(128, 128)), np.array([1, 2], np.uint32))


@program
def flow_by_spectra(source):
    """Two-dimensional turbulence: vorticity advanced in Fourier space."""
    n = 128
    k = np.fft.fftfreq(n, 1 / n).astype(np.float32)
    kx, ky = np.meshgrid(k, k[: n // 2 + 1], indexing="ij")
    squared = kx**2 + ky**2
    inverse = np.where(squared == 0, 0, 1 / np.maximum(squared, 1)).astype(np.float32)

    def step(w):
        stream = w * inverse
        back = lambda x: jnp.fft.irfft2(x, (n, n))
        advected = back(1j * ky * stream) * back(1j * kx * w) - back(1j * kx * stream) * back(1j * ky * w)
        return (w - 1e-3 * jnp.fft.rfft2(advected)) / (1 + 1e-4 * squared)

    return lambda w: jnp.fft.irfft2(repeat(step, 5)(jnp.fft.rfft2(w)), (n, n)), (source.normal(n, n),)


@program
def pendulums(source):
    """2,000 double pendulums by Runge-Kutta's method."""

    def slope(s):
        a, b, p, q = s
        c, d = jnp.cos(a - b), jnp.sin(a - b)
        below = 2 - c * c
        return jnp.stack([p, q, (-d * (q * q + p * p * c) - 2 * 9.8 * jnp.sin(a) + 9.8 * c * jnp.sin(b)) / below,
                          (d * (2 * p * p + q * q * c) + 2 * 9.8 * (jnp.sin(a) * c - jnp.sin(b))) / below])

    def step(s, h=0.005):
        a = slope(s)
        b = slope(s + h / 2 * a)
        c = slope(s + h / 2 * b)
        return s + h / 6 * (a + 2 * b + 2 * c + slope(s + h * c))

    return repeat(step, 50), (source.normal(4, 2000),)


@program
def cloth_gradient(source):
    """The gradient through 30 steps of a net of springs, as in learning to control."""
    links = [((0, 1), (0, 0)), ((0, 0), (0, 1)), ((0, 1), (0, 1))]

    def energy(x):
        total = 0.0
        for (a, b), (c, d) in links:
            apart = x[a or c:, b or d:] - x[: x.shape[0] - (a or c), : x.shape[1] - (b or d)]
            total += jnp.sum((jnp.sqrt(jnp.sum(apart**2, -1) + 1e-6) - 1.0) ** 2)
        return 50 * total

    def loss(wind, x):
        def step(state, _):
            x, v = state
            v = 0.99 * v + 0.01 * (wind - jax.grad(energy)(x))
            return (x + 0.01 * v, v), None

        (x, _), _ = jax.lax.scan(step, (x, jnp.zeros_like(x)), None, length=30)
        return jnp.mean((x - 1.0) ** 2)

    grid = np.stack(np.meshgrid(np.arange(24), np.arange(24), [0.0]), -1)[:, :, 0].astype(np.float32)
    return jax.value_and_grad(loss), (source.normal(24, 24, 3, scale=0.1), grid)


@program
def quantum_circuit(source):
    """A gradient of an expected value through layers of rotations and controlled gates of ten qubits."""
    qubits = 10

    def expected(angles):
        state = jnp.zeros([2] * qubits, jnp.complex64).at[(0,) * qubits].set(1)
        for layer in range(3):
            for i in range(qubits):
                c, s = jnp.cos(angles[layer, i] / 2), jnp.sin(angles[layer, i] / 2)
                gate = jnp.array([[c, -s], [s, c]], jnp.complex64)
                state = jnp.moveaxis(jnp.tensordot(gate, state, ((1,), (i,))), 0, i)
            for i in range(qubits - 1):
                flipped = jnp.flip(jnp.take(state, 1, i), i)
                state = jnp.stack([jnp.take(state, 0, i), flipped], i)
        return jnp.sum(jnp.abs(state[0]) ** 2) - jnp.sum(jnp.abs(state[1]) ** 2)

    return jax.value_and_grad(expected), (source.normal(3, qubits),)


@program
def sphere_tracing(source):
    """A picture of a distance field: 48 steps along 128 x 128 rays, and shading by its gradient."""

    def distance(p, centres):
        spheres = jnp.linalg.norm(p - centres, axis=-1) - 0.5
        return jnp.minimum(-jax.nn.logsumexp(-8 * spheres) / 8, p[1] + 1)

    def shade(ray, centres):
        start = jnp.array([0.0, 0.0, -4.0])
        far = jax.lax.fori_loop(0, 48, lambda _, t: t + distance(start + t * ray, centres), 0.0)
        normal = jax.grad(distance)(start + far * ray, centres)
        return jnp.where(far < 20, jnp.maximum(0, normal @ jnp.array([0.5, 0.7, -0.5])), 0)

    side = np.linspace(-0.5, 0.5, 128, dtype=np.float32)
    rays = np.stack([*np.meshgrid(side, -side), np.ones((128, 128), np.float32)], -1).reshape(-1, 3)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    return jax.vmap(shade, (0, None)), (rays, source.normal(6, 3, scale=0.8))
