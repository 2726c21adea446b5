"""Base parameters: the fewest numbers the torque of an arm depends on. Spec 02.5-02.8.

Many standard parameters have no influence on the torque, others act only together. With the base parameters
beta = matrix @ gamma and the kept columns of the regressor,

    torque = Y(q, dq, ddq) gamma = Y[..., kept] beta        for every motion,

and no smaller set does it. Two ways lead there. The numeric one finds the relation from the regressor at random
motions and works for any arm. The analytic one carries bodies from link to link exactly (`robot.regrouping`) and
leaves to the numeric one only what special geometry adds, such as parallel axes.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ParameterError, UnknownNameError
from jointwise.robot.groupings import grouped_name, grouping
from jointwise.robot.independent import (
    RANK_TOLERANCE,
    ROUNDING,
    column_indices,
    independent_columns,
    triangular_factor,
)
from jointwise.robot.regressor import column_names
from jointwise.robot.regrouping import PER_LINK, regrouped
from jointwise.robot.samples import checked

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]

METHODS = ("numeric", "analytic")
SEED = 20_240_229
SAMPLES = 200
"""Random motions; each gives one equation per joint for at most 19 columns per joint."""
SPEED, ACCELERATION = 3.0, 10.0
"""Typical random velocity in rad/s and acceleration in rad/s^2: inertia, Coriolis and gravity weigh alike."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BaseParameters:
    """Base parameters of one arm: which standard parameters they collect, and the maps between the two."""

    columns: tuple[str, ...]
    """names of the standard parameters, in the order of the regressor's columns"""
    kept: NDArray[np.int64]
    """the regressor's columns that remain"""
    matrix: Array
    """(count, columns): beta = matrix @ gamma"""
    left_out: tuple[str, ...] = ()
    """parameters that were not considered, because `only` did not name them"""

    def __post_init__(self) -> None:
        self.kept.setflags(write=False)
        self.matrix.setflags(write=False)

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return len(self.kept)

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """XXR2 where others are grouped in, XX2 where the parameter stands alone."""
        alone = np.count_nonzero(self.matrix, axis=1) == 1
        return tuple(
            grouped_name(self.columns[k], bool(a)) for k, a in zip(self.kept, alone, strict=True)
        )

    @functools.cached_property
    def groupings(self) -> tuple[str, ...]:
        """What each collects, as a sum: `XX2 - YY2 - 0.180625 (m3 + m4 + m5 + m6)`."""
        rows = zip(self.kept, self.matrix, strict=True)
        return tuple(grouping(int(k), row, self.columns) for k, row in rows)

    @functools.cached_property
    def zero(self) -> tuple[str, ...]:
        """Standard parameters without any influence on the torque."""
        used = np.any(self.matrix != 0.0, axis=0)
        return tuple(
            name
            for name, u in zip(self.columns, used, strict=True)
            if not u and name not in self.left_out
        )

    def values(self, gamma: ArrayLike) -> Array:
        """Base parameters (..., count) of standard parameters (..., columns)."""
        return checked("gamma", gamma, len(self.columns)) @ self.matrix.T

    def regressor(self, y: ArrayLike) -> Array:
        """The kept columns (..., count) of a regressor (..., columns)."""
        return checked("regressor", y, len(self.columns))[..., self.kept]

    def standard(
        self, beta: ArrayLike, prior: ArrayLike, weights: ArrayLike | None = None
    ) -> Array:
        """Standard parameters that have exactly these base parameters and are closest to a prior.

        Minimises the sum of (weights (gamma - prior))^2; without weights all count the same, whatever their unit.
        Parameters without influence keep their prior. The result need not be physical.
        """
        beta = checked("beta", beta, self.count)
        prior = checked("prior", prior, len(self.columns))
        weights = checked(
            "weights", np.ones(len(self.columns)) if weights is None else weights, len(self.columns)
        )
        if not (weights > 0.0).all():
            raise ParameterError("weights", float(weights.min()), "above 0")
        reach = self.matrix / weights
        pseudo_inverse = np.linalg.pinv(reach, rcond=0.0) if self.count else reach.T
        pseudo_inverse[~self.matrix.any(axis=0)] = 0.0
        gamma = np.broadcast_to(
            prior, (*np.broadcast_shapes(beta.shape[:-1], prior.shape[:-1]), prior.shape[-1])
        )
        for _ in range(2):  # the second time removes the rounding of the first
            gamma = gamma + (beta - gamma @ self.matrix.T) @ pseudo_inverse.T / weights
        return gamma

    def __str__(self) -> str:
        width = max((len(name) for name in self.names), default=0)
        lines = [
            f"{self.count} base parameters of {len(self.columns) - len(self.left_out)} standard ones"
        ]
        for name, text in zip(self.names, self.groupings, strict=True):
            body = "" if name == text else f" = {text}"
            indent = " " * (width + 5)
            lines += textwrap.wrap(f"  {name:<{width}}{body}", 100, subsequent_indent=indent)
        if self.zero:
            lines += textwrap.wrap(
                f"no influence: {', '.join(self.zero)}", 100, subsequent_indent="  "
            )
        return "\n".join(lines)


def base_parameters(
    robot: Robot,
    *,
    rotors: bool = False,
    friction: Sequence[str] = (),
    method: str = "numeric",
    only: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    tolerance: float = RANK_TOLERANCE,
) -> BaseParameters:
    """Base parameters of an arm.

    `rotors` and `friction` add columns as in `Robot.regressor`. `only` names the standard parameters to consider;
    the others are taken as zero. `keep` names parameters that must remain; without it the first of each dependent
    group, in the order of the columns, remains. A larger `tolerance` ignores influences up to that fraction.
    """
    if method not in METHODS:
        raise UnknownNameError("method of regrouping", method, METHODS)
    columns = column_names(robot, rotors=rotors, friction=friction)
    considered = (
        list(range(len(columns))) if only is None else sorted(column_indices(only, columns))
    )
    factor = triangular_factor(_random_stack(robot, rotors, friction))
    carried = np.eye(len(columns))
    if method == "analytic":
        carried[: PER_LINK * robot.n, : PER_LINK * robot.n] = regrouped(robot)
    remaining = np.flatnonzero(carried.any(axis=1))
    found = independent_columns(
        factor[:, remaining], [columns[k] for k in remaining], tolerance=tolerance
    )
    kept, matrix = remaining[found.kept], found.matrix @ carried[remaining]
    if method == "analytic":
        matrix = _without_rounding(matrix, factor, kept, found.condition)
        _verify(factor, kept, matrix, tolerance)
    if only is not None or keep is not None:
        kept, matrix = _chosen(factor, kept, matrix, columns, considered, keep or (), tolerance)
    left_out = tuple(columns[k] for k in sorted(set(range(len(columns))) - set(considered)))
    return BaseParameters(columns=columns, kept=kept, matrix=matrix, left_out=left_out)


def _random_stack(robot: Robot, rotors: bool, friction: Sequence[str]) -> Array:
    """The regressor at random motions, one equation a row.

    A relation between columns that holds on any small region of positions holds everywhere, so the limits of the
    joints do not matter; slides move by about the length of a link.
    """
    rng = np.random.default_rng(SEED)
    turns = np.array([joint.kind == "revolute" for joint in robot.joints])
    unit = np.where(turns, 1.0, _length(robot))
    shape = (SAMPLES, robot.n)
    q = rng.uniform(-1.0, 1.0, shape) * np.where(turns, np.pi, unit)
    dq, ddq = SPEED * unit * rng.normal(size=shape), ACCELERATION * unit * rng.normal(size=shape)
    y = robot.regressor(q, dq, ddq, rotors=rotors, friction=friction)
    return y.reshape(-1, y.shape[-1])


def _length(robot: Robot) -> float:
    """Root mean square distance between joints, one metre where all coincide."""
    steps = [(joint.frame.before()[:3, 3], joint.frame.after()[:3, 3]) for joint in robot.joints]
    length = float(np.sqrt(np.mean(np.sum(np.square(steps), axis=(1, 2)))))
    return length if length > 0.0 else 1.0


def _without_rounding(
    matrix: Array, factor: Array, kept: NDArray[np.int64], condition: float
) -> Array:
    """Coefficients that are rounding of zero, beside the lengths of their columns, as zero."""
    lengths = np.linalg.norm(factor, axis=0)
    share = np.abs(matrix) * lengths[kept][:, None]
    return np.where(share > ROUNDING * condition * lengths, matrix, 0.0)


def _verify(factor: Array, kept: NDArray[np.int64], matrix: Array, tolerance: float) -> None:
    """Raise NumericalError unless the kept columns give the torque of all."""
    lengths = np.linalg.norm(factor, axis=0)
    missing = np.linalg.norm(factor[:, kept] @ matrix - factor, axis=0)
    if (missing > tolerance * np.maximum(lengths, lengths.max())).any():
        raise NumericalError(
            f"regrouped parameters miss {float((missing / lengths.max()).max()):.1e} of the torque, more than the "
            f"tolerance {tolerance:g}; the geometry is too close to a special one, use method='numeric'"
        )


def _chosen(
    factor: Array,
    kept: NDArray[np.int64],
    matrix: Array,
    columns: Sequence[str],
    considered: Sequence[int],
    keep: Sequence[str],
    tolerance: float,
) -> tuple[NDArray[np.int64], Array]:
    """The same parameters restricted to some columns, or represented by others.

    The kept columns W1 are independent and W = W1 matrix, so columns of W depend on each other exactly as the
    columns of `matrix` do.
    """
    coordinates = matrix * np.linalg.norm(factor[:, kept], axis=0)[:, None]
    names = [columns[k] for k in considered]
    found = independent_columns(coordinates[:, considered], names, prefer=keep, tolerance=tolerance)
    missing = [name for name in keep if name not in found.kept_names]
    if missing:
        name = missing[0]
        row = found.matrix[:, names.index(name)]
        others = [n for n, used in zip(found.kept_names, row, strict=True) if used]
        why = f"{name} follows from {', '.join(others)}" if others else f"{name} has no influence"
        raise ParameterError("keep", ", ".join(keep), "names of independent parameters", why)
    wide = np.zeros((len(found.kept), len(columns)))
    wide[:, considered] = found.matrix
    return np.asarray(considered, dtype=np.int64)[found.kept], wide
