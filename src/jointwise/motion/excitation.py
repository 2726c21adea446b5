"""Excitation for identification: a finite Fourier series optimised within all limits; spec 08.1, 08.2, K(23), L(26).

The measure is one of `motion.objectives` on the base regressor with friction columns; limits are those on position,
velocity, acceleration, jerk, torque by the prior model, the floor, and links that must not meet. Several starts are
searched shortly and the best ones thoroughly. What is left beyond a limit on a grid ten times as fine is removed by
shrinking the swing. Behind the series may follow slow reversals and constant speeds, which excite friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from jointwise.errors import NumericalError, ParameterError
from jointwise.kernels.columns import NAMES
from jointwise.motion.check import Excess, excesses
from jointwise.motion.course import Course, Setting
from jointwise.motion.friction_tail import reversals, sweeps
from jointwise.motion.motion import sampled
from jointwise.motion.objectives import OBJECTIVES, quality
from jointwise.motion.options import Help, OneOf, Seed
from jointwise.motion.path import Array, Chain, Path
from jointwise.motion.search import Search, Shape
from jointwise.motion.series import FourierPath
from jointwise.motion.stack import BaseStack
from jointwise.robot.base_parameters import BaseParameters
from jointwise.robot.description import Robot
from jointwise.units import Unit

ROUNDS = ((10.0, 60), (1e3, 80), (1e4, 60))
"""Weight of the penalties and iterations of each round."""
POLISHED = 2
"""Starts that are searched to the end."""
WIDTH = 0.05
"""rad/s over which Coulomb friction is rounded during the search."""
LOOKS = 250
"""Instants per shortest period of a quick look at what exceeds a limit."""
FINER = 10
SHRINK = 0.98
SHRINKINGS = 150
QUALITY_RATE = 100.0


def plan(
    setting: Setting,
    *,
    duration: Annotated[
        float, Unit("s", lower=0.5, upper=1e4), Help("length of the motion in s")
    ] = 20.0,
    period: Annotated[
        float | None,
        Unit("s", lower=0.5, upper=1e4),
        Help("base period in s, of which the series lasts a whole number [default: about 15]"),
    ] = None,
    harmonics: Annotated[
        int, Unit("1", lower=3, upper=60), Help("harmonics of the base frequency")
    ] = 12,
    rest: Annotated[
        int, Unit("1", lower=2, upper=4), Help("derivatives that are zero at both ends")
    ] = 2,
    objective: Annotated[str, OneOf(tuple(OBJECTIVES)), Help("what is made best")] = "condition",
    friction: Annotated[
        Sequence[str], OneOf(NAMES), Help("friction columns that are to be excited")
    ] = ("coulomb", "viscous"),
    start: Annotated[
        Sequence[float] | None,
        Unit("rad [m]"),
        Help("pose at both ends in rad [m] [default: chosen]"),
    ] = None,
    starts: Annotated[int, Unit("1", lower=1, upper=100), Help("starts of the search")] = 4,
    seed: Annotated[int, Seed, Help("seed of the starts")] = 0,
    reversal_time: Annotated[
        float, Unit("s", lower=0.0, upper=1e4), Help("seconds of slow reversals at the end")
    ] = 0.0,
    constant_time: Annotated[
        float, Unit("s", lower=0.0, upper=1e4), Help("seconds of constant speeds at the end")
    ] = 0.0,
) -> Course:
    """Excite all joints at once so that the parameters are told apart best: an optimised finite Fourier series."""
    length = duration - reversal_time - constant_time
    if length < 0.5:
        raise ParameterError(
            "duration", duration, f"at least {reversal_time + constant_time + 0.5:g} s"
        )
    if period is None:
        period = length / max(1, round(length / 15.0))
    if abs(length / period - round(length / period)) > 1e-9 or length < 0.5 * period:
        allowed = f"reversals, constant speeds and a whole number of periods of {period:g} s"
        raise ParameterError("duration", duration, allowed)
    if harmonics - (rest + 1) // 2 < 1 or harmonics - rest // 2 < 1:
        raise ParameterError("harmonics", harmonics, f"more, for {rest} derivatives at rest")
    given = None if start is None else setting.start(start)
    shape = Shape(period=period, harmonics=harmonics, rest=rest, start=given)
    base = setting.robot.base_parameters(friction=friction)
    stack = BaseStack(setting.robot, base, friction, width=WIDTH)
    search = Search(setting.robot, setting.bounds, shape, stack, OBJECTIVES[objective])
    series, story = _best(setting, search, seed, starts, length)
    path = _with_tail(setting, series, reversal_time, constant_time)
    notes = {
        "period_s": period,
        "quality": measured(setting.robot, base, path, friction),
        "quality_of_the_starts": story,
    }
    return Course(
        path=path,
        smoothness=4 if path is series else min(rest, 3),
        rest=rest if path is series else min(rest, 3),
        notes=notes,
    )


def measured(
    robot: Robot, base: BaseParameters, path: Path, friction: Sequence[str]
) -> dict[str, float]:
    """Quality of a path: of the base regressor with the friction columns as they are, sampled at 100 Hz."""
    time = np.arange(int(path.duration * QUALITY_RATE) + 1) / QUALITY_RATE
    q, dq, ddq = path.at(time)[:3]
    w = robot.regressor(q, dq, ddq, friction=friction)[..., base.kept]
    return {"parameters": base.count, **quality(w.reshape(-1, base.count))}


def _best(
    setting: Setting, search: Search, seed: int, starts: int, length: float
) -> tuple[FourierPath, list[float]]:
    """The best series that keeps all limits, and the measure after the first round of every start."""
    polished = min(POLISHED, starts)
    total = starts + polished * (len(ROUNDS) - 1)
    done = 0
    first: list[tuple[float, int, Array]] = []
    for k in range(starts):
        x = _begin(setting, search, np.random.default_rng([seed, k]))
        x = _round(search, x, *ROUNDS[0])
        first.append((search.value, k, x))
        done += 1
        setting.report(done, total)
    first.sort(key=lambda item: item[:2])
    found: list[tuple[float, int, FourierPath]] = []
    for _, k, x in first[:polished]:
        for weight, iterations in ROUNDS[1:]:
            search.watch(_violated(setting, search, x, length))
            x = _round(search, x, weight, iterations)
            done += 1
            setting.report(done, total)
        series = _kept_inside(setting, search, search.path(x, length))
        if series is not None:
            found.append((search.measured(series), k, series))
    if not found:
        raise NumericalError(
            f"no excitation of {setting.robot.name} within all limits was found from {starts} starts; "
            "allow more of the limits, give a start that is clear of collisions, or take more starts"
        )
    story = [value for value, _, _ in sorted(first, key=lambda item: item[1])]
    return min(found, key=lambda item: item[:2])[2], story


def _begin(setting: Setting, search: Search, rng: np.random.Generator) -> Array:
    """Random coefficients around a clear pose, small enough to keep all limits where that is possible."""
    n, columns = setting.robot.n, search.per_joint
    unknowns = 0.3 * rng.standard_normal((n, columns))
    if search.shape.start is None:
        unknowns[:, -1] = 0.0
    center = setting.clear_pose()
    for _ in range(40):
        if search.shape.start is None:
            unknowns[:, -1] = center
        search.weight = 1.0
        if search.excess(unknowns) < 1e-3:
            break
        swing = unknowns if search.shape.start is not None else unknowns[:, :-1]
        swing *= 0.85
    return unknowns.ravel()


def _round(search: Search, x: Array, weight: float, iterations: int) -> Array:
    from scipy.optimize import minimize

    search.weight = weight
    options = {"maxiter": iterations, "maxfun": 3 * iterations, "maxcor": 20}
    return np.asarray(minimize(search, x, jac=True, method="L-BFGS-B", options=options).x)


def _look(setting: Setting, series: FourierPath, rate_hz: float, finer: int) -> tuple[Excess, ...]:
    """What one period exceeds on a grid."""
    names = tuple(joint.name for joint in setting.robot.joints)
    motion = sampled(
        series.lasting(series.period),
        joint_names=names,
        rate_hz=rate_hz,
        smoothness=4,
        rest=2,
        notes={},
    )
    return excesses(motion, setting.robot, setting.bounds, finer=finer)


def _violated(setting: Setting, search: Search, x: Array, length: float) -> Array:
    """Instants at which a fine look finds a limit or a distance violated."""
    series = search.path(x, length)
    found = _look(setting, series, LOOKS * search.shape.harmonics / series.period, 1)
    return np.array(sorted({e.time for e in found} | set(search.extra)))


def _kept_inside(setting: Setting, search: Search, series: FourierPath) -> FourierPath | None:
    """The series shrunk until nothing exceeds a limit at ten times its rate; None where its middle does."""
    about = series.center if search.shape.start is None else search.shape.start
    quick = LOOKS * search.shape.harmonics / series.period
    for _ in range(SHRINKINGS):
        found = _look(setting, series, quick, 1) or _look(setting, series, setting.rate_hz, FINER)
        if not found:
            return series
        series = series.shrunk(about, _share(found, setting))
    return None


def _share(found: tuple[Excess, ...], setting: Setting) -> Array:
    """How much of its swing each joint keeps, by what it exceeds."""
    names = [joint.name for joint in setting.robot.joints]
    share = np.ones(len(names))
    for excess in found:
        if excess.where in names and excess.quantity in ("velocity", "acceleration", "jerk"):
            k = names.index(excess.where)
            most = getattr(setting.bounds, excess.quantity)[k]
            share[k] = min(share[k], (1.0 - 1e-6) * most / abs(excess.value))
        else:
            share *= SHRINK
    return share


def _with_tail(
    setting: Setting, series: FourierPath, reversal_time: float, constant_time: float
) -> Path:
    parts: list[Path] = [series]
    here = series.at(np.array([series.duration]))[0, 0]
    if reversal_time > 0.0:
        parts.append(reversals(setting, here, reversal_time))
    if constant_time > 0.0:
        parts.append(sweeps(setting, here, constant_time))
    return Chain(parts) if len(parts) > 1 else series
