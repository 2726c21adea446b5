"""Small linear problems with known answers, for the tests of estimators."""

import numpy as np
from scipy.signal import lfilter

from jointwise.estimators.problem import Problem

NAMES = ("a", "b", "c", "d")
TRUTH = np.array([1.0, -2.0, 0.5, 3.0])
NOISE = np.array([0.5, 2.0, 0.1])
WARM_UP = 300


def coloured(rng, shape, pole):
    """Noise of unit variance along axis 1 that remembers its past by `pole`, started long before."""
    recordings, samples, *rest = shape
    white = rng.normal(size=(recordings, samples + WARM_UP, *rest))
    return lfilter([np.sqrt(1.0 - pole**2)], [1.0, -pole], white, axis=1)[:, WARM_UP:]


def regressors(seed=0, recordings=3, samples=200, joints=3, pole=0.0, columns=4):
    return coloured(np.random.default_rng(seed), (recordings, samples, joints, columns), pole)


def problem(seed=1, pole=0.0, w=None, noise=NOISE, truth=TRUTH, names=NAMES, **options):
    """A problem with noise of each joint that remembers its past by `pole`."""
    w = regressors() if w is None else w
    e = coloured(np.random.default_rng(seed), w.shape[:3], pole) * noise
    return Problem.from_rows(names, w, w @ truth + e, **options)


def stacked(given, weights=None):
    """W and y with rows multiplied by the roots of the weights."""
    roots = np.ones(given.joints) if weights is None else np.sqrt(weights)
    w = np.concatenate([(r.w * roots[:, None])[r.use] for r in given.rows])
    y = np.concatenate([(r.y * roots)[r.use] for r in given.rows])
    return w, y
