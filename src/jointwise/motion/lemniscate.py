"""A lemniscate of Gerono drawn by the tool, with a seventh-order time law; spec 08.9, W(28).

    x = a cos(phi), y = b sin(phi) cos(phi),    phi = 2 pi turns s(t / T),    s = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7

in a plane of the base frame around a centre, the tool keeping its orientation where the arm has six joints or more.
The joint positions are periodic and smooth in phi, so that few Fourier coefficients hold them to rounding; their
derivatives in time follow by the chain rule. No filter is needed behind the inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from jointwise.errors import NumericalError, ParameterError
from jointwise.motion.bounds import Bounds
from jointwise.motion.course import Course, Setting
from jointwise.motion.inverse import solve
from jointwise.motion.options import Help, OneOf
from jointwise.motion.path import ORDERS, Array, Path
from jointwise.motion.polynomial import SEPTIC
from jointwise.robot.clearance import clearance, has_capsules
from jointwise.units import Unit

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
POINTS = 256
"""Points of the curve at which joint positions are computed."""
TAIL = 1e-8
"""rad [m]: largest Fourier coefficient of the upper half that still counts as none."""
CANDIDATES = 64
"""Poses tried where none is given, the most agile ones of many random ones."""
DRAWS = 4000


class LoopPath(Path):
    """q(phi(t)) with q a Fourier series in phi and phi a septic from rest to rest: `waves` (orders, n) complex."""

    form = "loop"

    def __init__(
        self, cosine: ArrayLike, sine: ArrayLike, *, turns: float, duration: float
    ) -> None:
        self.cosine = np.asarray(cosine, dtype=np.float64)
        self.sine = np.asarray(sine, dtype=np.float64)
        self.turns, self.duration = float(turns), float(duration)
        self.n = self.cosine.shape[1]

    def inside(self, time: Array) -> Array:
        """See `Path`."""
        angle = 2.0 * np.pi * self.turns
        law = np.polynomial.Polynomial(SEPTIC)
        u = time / self.duration
        p = [angle * law.deriv(k)(u) / self.duration**k if k else angle * law(u) for k in range(5)]
        order = np.arange(len(self.cosine))
        at = np.outer(p[0], order)
        even, odd = np.cos(at), np.sin(at)
        c, s = self.cosine, self.sine
        g = []
        for _ in range(ORDERS):
            g.append(even @ c + odd @ s)
            c, s = order[:, None] * s, -order[:, None] * c
        d1, d2, d3, d4 = (v[:, None] for v in p[1:])
        return np.array(
            [  # the chain rule up to the fourth derivative
                g[0],
                g[1] * d1,
                g[2] * d1**2 + g[1] * d2,
                g[3] * d1**3 + 3.0 * g[2] * d1 * d2 + g[1] * d3,
                g[4] * d1**4
                + 6.0 * g[3] * d1**2 * d2
                + g[2] * (3.0 * d2**2 + 4.0 * d1 * d3)
                + g[1] * d4,
            ]
        )

    def numbers(self) -> dict[str, Any]:
        """See `Path`."""
        return {
            "cosine": self.cosine.tolist(),
            "sine": self.sine.tolist(),
            "turns": self.turns,
            "duration": self.duration,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Path:
        """See `Path`."""
        return cls(**{k: v for k, v in data.items() if k != "form"})


def plan(
    setting: Setting,
    *,
    width: Annotated[
        float, Unit("m", lower=0.0, upper=100.0, open_lower=True), Help("half width a in m")
    ] = 0.12,
    height: Annotated[
        float,
        Unit("m", lower=0.0, upper=100.0, open_lower=True),
        Help("b in m; half its height is b/2"),
    ] = 0.12,
    plane: Annotated[str, OneOf(tuple(PLANES)), Help("plane of the base frame")] = "yz",
    duration: Annotated[
        float, Unit("s", lower=0.1, upper=1e4), Help("length of the motion in s")
    ] = 7.5,
    turns: Annotated[int, Unit("1", lower=1, upper=100), Help("times to draw it")] = 1,
    start: Annotated[
        Sequence[float] | None,
        Unit("rad [m]"),
        Help("pose whose tool is the centre, in rad [m] [default: an agile one]"),
    ] = None,
) -> Course:
    """Draw a lemniscate with the tool, with a smooth law of time that feedforward for flexible joints needs."""
    size = (width, height)
    if start is not None:
        center = setting.start(start)
        q = curve(setting, center, size, plane)
    else:
        center, q = _agile(setting, size, plane, turns / duration)
    cosine, sine = _waves(q)
    path = LoopPath(cosine=cosine, sine=sine, turns=turns, duration=duration)
    tool = setting.robot.pose(center)[:3, 3]
    notes = {"center": tool.tolist(), "plane": plane, "closest_pose": center.tolist()}
    return Course(path=path, smoothness=4, rest=3, notes=notes)


def curve(setting: Setting, center: Array, size: tuple[float, float], plane: str) -> Array:
    """Joint positions (POINTS, n) along the curve around the tool's place at a pose."""
    robot = setting.robot
    pose = robot.pose(center)
    phi = 2.0 * np.pi * np.arange(POINTS) / POINTS
    first, second = PLANES[plane]
    q = np.empty((POINTS, robot.n))
    # Beginning at a crossing of the curve keeps the first guess near: there the tool is at the centre.
    begin = POINTS // 4
    guess = center
    for k in range(begin, begin + POINTS + 1):
        at = pose.copy()
        a = phi[k % POINTS]
        at[first, 3] += size[0] * np.cos(a)
        at[second, 3] += size[1] * np.sin(a) * np.cos(a)
        guess = solve(robot, at, guess, posture=center)
        if k == begin + POINTS:
            break
        q[k % POINTS] = guess
    if np.abs(guess - q[begin]).max() > 1e-6:
        raise NumericalError(f"the joints of {robot.name} do not return after one lemniscate")
    return q


def _waves(q: Array) -> tuple[Array, Array]:
    """Fourier coefficients of the joint positions in phi."""
    spectrum = np.fft.rfft(q, axis=0) / len(q)
    half = len(spectrum) // 2
    if np.abs(spectrum[half:]).max() > TAIL:
        raise NumericalError(
            "the joints cannot follow the lemniscate smoothly; it comes close to a singular pose, "
            "so make it smaller or move it"
        )
    kept = spectrum[:half]
    cosine, sine = 2.0 * kept.real, -2.0 * kept.imag
    cosine[0] *= 0.5
    sine[0] = 0.0
    return cosine, sine


def _agile(
    setting: Setting, size: tuple[float, float], plane: str, pace: float
) -> tuple[Array, Array]:
    """The first pose, most agile ones first, around which the curve can be drawn at this pace, clear of everything."""
    robot, b = setting.robot, setting.bounds
    middle = b.middle()
    reach = np.minimum(b.reach(np.pi / 2.0), np.pi / 2.0)
    draws = np.random.default_rng(9).uniform(-1.0, 1.0, (DRAWS, robot.n))
    poses = middle + draws * reach
    rows = 6 if robot.n >= 6 else 3
    j = robot.jacobian(poses)[:, :rows]
    agility = np.prod(np.linalg.svd(j, compute_uv=False)[:, : min(rows, robot.n)], axis=1)
    if has_capsules(robot):
        agility = np.where(clearance(robot, poses, floor=b.floor) > 0.02, agility, 0.0)
    for pose in poses[np.argsort(-agility)[:CANDIDATES]]:
        try:
            q = curve(setting, pose, size, plane)
            path = LoopPath(*_waves(q), turns=1.0, duration=1.0 / pace)
        except NumericalError:
            continue
        inside = ((q >= b.lower) & (q <= b.upper)).all()
        if inside and _slow_enough(path, b) and clearance(robot, q, floor=b.floor).min() > 0.0:
            return pose, q
    raise ParameterError(
        "size of the lemniscate",
        f"{size[0]:g} by {size[1]:g} m",
        f"small enough for {robot.name}",
        f"no pose was found around which it can be drawn in the {plane} plane at this pace; take "
        "more time, or state a start",
    )


def _slow_enough(path: LoopPath, b: Bounds) -> bool:
    """True where speed, acceleration and jerk are within the bounds when drawn once at this pace."""
    values = np.abs(path.at(np.linspace(0.0, path.duration, 400))).max(axis=1)
    limits = (b.velocity, b.acceleration, b.jerk)
    return all((v <= most).all() for v, most in zip(values[1:], limits, strict=False))
