"""Random functions of one and two parameters for `vftrace model`, and values of them with noise.

The value at the smallest point is 1: a constant of up to a half, and terms with Extra-P's 42 pairs of exponents, each
pair as often as the others. Half of the functions of two parameters are products, half are sums. Noise is normal and
relative. The same seed gives the same functions and values.
"""
import json
import math
import random

# numerator, denominator, largest exponent of the logarithm
POWERS = ((0, 1, 2), (1, 4, 2), (1, 3, 2), (1, 2, 2), (2, 3, 2), (3, 4, 2), (4, 5, 0), (1, 1, 2), (5, 4, 1), (4, 3, 1),
          (3, 2, 2), (5, 3, 0), (7, 4, 0), (2, 1, 2), (9, 4, 0), (7, 3, 0), (5, 2, 2), (8, 3, 0), (11, 4, 0), (3, 1, 1))
PAIRS = [(i, j, k) for i, j, logs in POWERS for k in range(logs + 1) if (i, k) != (0, 0)]
NAMES, SMALLEST = ("n", "p"), (64, 4)
VALUES = 5


def factor(exponents, x):
    return x**(exponents[0] / exponents[1]) * math.log2(x)**exponents[2]


class Function:
    """exponents: one triple by parameter; none: a constant."""

    def __init__(self, exponents, constant, is_product, share):
        self.exponents, self.constant, self.is_product, self.share = exponents, constant, is_product, share

    def __call__(self, point):
        if not self.exponents:
            return 1.0
        parts = [factor(e, x) / factor(e, first) for e, x, first in zip(self.exponents, point, SMALLEST)]
        if self.is_product:
            return self.constant + (1 - self.constant) * math.prod(parts)
        return self.constant + (1 - self.constant) * (self.share * parts[0] + (1 - self.share) * parts[1])


def functions(parameters, count, seed, constant=False):
    chance = random.Random(seed)
    pairs = []
    while len(pairs) < count * parameters:
        some = PAIRS[:]
        chance.shuffle(some)
        pairs += some
    result = []
    for i in range(count):
        share_of_constant, is_product = chance.uniform(0, 0.5), parameters == 1 or chance.random() < 0.5
        exponents = () if constant else tuple(pairs[i * parameters:(i + 1) * parameters])
        result.append(Function(exponents, share_of_constant, is_product, chance.uniform(0.2, 0.8)))
    return result


def grid(parameters, step):
    """Five values of each parameter, each `step` times the one before."""
    axes = [[SMALLEST[i] * step**k for k in range(VALUES)] for i in range(parameters)]
    return [(x,) for x in axes[0]] if parameters == 1 else [(x, y) for x in axes[0] for y in axes[1]]


def measurements(some, points, noise, repetitions, seed):
    """A document in Extra-P's JSON format, a call path for each function."""
    chance = random.Random(1000 * seed + 7)
    return json.dumps({"parameters": list(NAMES[:len(points[0])]), "measurements": {
        f"function {i}": {"time": [
            {"point": point, "values": [of(point) * (1 + chance.gauss(0, noise)) for _ in range(repetitions)]}
            for point in points]} for i, of in enumerate(some)}})
