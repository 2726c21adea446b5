"""`Robot`: the frozen description of one serial arm, and everything rigid-body dynamics says about it.

Every array argument has shape (..., n): n numbers for one sample, or any leading axes for many. Results carry the
same leading axes. Angles in rad, slides in m, torques in N m [N], everything on the output side of the gears.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ParameterError, UnknownValueError
from jointwise.robot import samples
from jointwise.robot.capsules import Capsule
from jointwise.robot.frames import Pose, Vector
from jointwise.robot.inertia import NOTHING, Body, transport
from jointwise.robot.parts import Joint, check_name, check_part, check_text, checked_capsules
from jointwise.units import UNKNOWN, Unit, check_fields

if TYPE_CHECKING:
    from jointwise.robot.base_parameters import BaseParameters
    from jointwise.robot.elastic import ElasticMotion, JointTorqueRates, StiffnessLaw
    from jointwise.robot.flexible import FlexibleModel

Array = NDArray[np.float64]

MAX_JOINTS = 64
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A serial arm: kinematics, link inertias, drives, limits, mounting, payload, and where each number came from.

    `gravity` is given in the base frame, so it also says how the arm is mounted: (0, 0, -9.81) stands on a table.
    `base` places the first joint in the base frame, `flange` the flange on the last link, `tool` the tool centre
    point on the flange; the payload is given in the flange frame. `coupling` C relates reflected motor angles to
    joint angles, theta = C q, for wrists whose motors turn more than one joint; None means each its own.
    """

    name: str
    joints: tuple[Joint, ...]
    description: str = ""
    gravity: Annotated[Vector, Unit("m/s^2", lower=-100.0, upper=100.0)] = STANDARD_GRAVITY
    base: Pose = Pose()
    flange: Pose = Pose()
    tool: Pose = Pose()
    payload: Body = NOTHING
    coupling: tuple[tuple[float, ...], ...] | None = None
    capsules: tuple[Capsule, ...] = ()
    """shape of what does not move, in the base frame, for collision checks; see `robot.clearance`"""
    sources: Mapping[str, str] = field(default_factory=dict)
    """path -> where the values at and below it came from"""

    def __post_init__(self) -> None:
        check_name("robot name", self.name)
        check_fields(self, "robot")
        check_text("robot.description", self.description)
        for what, pose in (("base", self.base), ("flange", self.flange), ("tool", self.tool)):
            check_part(f"robot.{what}", pose, Pose)
        check_part("robot.payload", self.payload, Body)
        check_part("robot.joints", self.joints, tuple, list)
        object.__setattr__(self, "joints", tuple(self.joints))
        for joint in self.joints:
            check_part("robot.joints", joint, Joint)
        object.__setattr__(self, "capsules", checked_capsules("robot.capsules", self.capsules))
        object.__setattr__(self, "sources", MappingProxyType(dict(self.sources)))
        if not 1 <= len(self.joints) <= MAX_JOINTS:
            raise ParameterError("number of joints", len(self.joints), f"from 1 to {MAX_JOINTS}")
        names = [j.name for j in self.joints]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError("joint name", name, "used once")
        if self.coupling is not None:
            object.__setattr__(self, "coupling", _checked_coupling(self.coupling, len(names)))

    def __hash__(self) -> int:
        return hash((self.name, self.joints))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return functools.partial(Robot, **{**values, "sources": dict(self.sources)}), ()

    # ---- description ------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        from jointwise.errors import UnknownNameError

        for joint in self.joints:
            if joint.name == name:
                return joint
        raise UnknownNameError(f"joint of {self.name}", name, [j.name for j in self.joints])

    def replace(self, changes: Mapping[str, Any], *, source: str) -> Robot:
        """A robot with some values changed, each named by its path, and where the new values came from.

        `robot.replace({"joints.elbow.link.mass": 2.9, "gravity": (9.81, 0, 0)}, source="weighed, wall mount")`
        """
        from jointwise.robot.paths import replaced

        return replaced(self, changes, source)

    def source_of(self, path: str) -> str:
        """Where the value at a path came from: the note on it, or on the nearest part around it."""
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            note = self.sources.get(".".join(parts[:length]))
            if note is not None:
                return note
        return self.sources.get("", "not stated")

    def unknown(self) -> tuple[str, ...]:
        """Paths of every value that is marked unknown."""
        from jointwise.robot.paths import unknown_paths

        return unknown_paths(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with stable keys: the content of the robot file."""
        from jointwise.robot.file import to_dict

        return to_dict(self)

    def save(self, path: Any) -> None:
        """Write the robot file; the old file stays whole until the new one is complete."""
        from jointwise.robot.file import save

        save(self, path)

    # ---- numbers for kernels ----------------------------------------------------------------

    def require(self, needed_for: str, values: Iterable[tuple[str, object]]) -> None:
        """Raise UnknownValueError naming every value among (path, value) that is unknown."""
        missing = [path for path, value in values if value is UNKNOWN]
        if missing:
            raise UnknownValueError(needed_for, missing)

    @functools.cached_property
    def chain(self) -> Array:
        """The packed arm without inertias, for kinematics and regressors."""
        from jointwise.robot.packing import pack

        tool = self.flange.matrix() @ self.tool.matrix()
        kinds = [j.kind for j in self.joints]
        arm = pack(self.gravity, self.base.matrix(), kinds, [j.frame for j in self.joints], tool)
        arm.setflags(write=False)
        return arm

    @functools.cached_property
    def arm(self) -> Array:
        """The packed arm with link inertias and payload, for dynamics kernels (`kernels.arm`)."""
        from jointwise.kernels.arm import INERTIAL
        from jointwise.robot.packing import get_pose

        gamma = self.parameters().reshape(self.n, 10)
        arm = self.chain.copy()
        for row, link in zip(arm[1:-1], gamma, strict=True):
            row[INERTIAL : INERTIAL + 10] = transport(get_pose(row)) @ link
        arm.setflags(write=False)
        return arm

    @functools.cached_property
    def _torque_of_one(self) -> Callable[[Any, Any, Any], Array | None]:
        return samples.torque_of_one(self.arm)

    def parameters(self) -> Array:
        """The standard inertial parameters, ten per link, payload included in the last link; spec 01.6."""
        links = [(j.name, j.link) for j in self.joints]
        self.require(
            f"dynamics of {self.name}",
            [(f"joints.{n}.link.{part}", UNKNOWN) for n, b in links for part in b.unknown()]
            + [(f"payload.{part}", UNKNOWN) for part in self.payload.unknown()],
        )
        gamma = np.concatenate([b.parameters() for _, b in links])
        gamma[-10:] += transport(self.flange.matrix()) @ self.payload.parameters()
        return gamma

    def rotor_matrix(self) -> Array:
        """Reflected rotor inertia as the joints feel it, C^T diag(B) C."""
        return self._rotors

    @functools.cached_property
    def _rotors(self) -> Array:
        values = [
            (f"joints.{j.name}.drive.rotor_inertia", j.drive.rotor_inertia) for j in self.joints
        ]
        self.require(f"rotor inertia of {self.name}", values)
        c = self.coupling_matrix()
        rotors: Array = c.T @ np.diag(np.array([v for _, v in values], dtype=np.float64)) @ c
        rotors.setflags(write=False)
        return rotors

    def coupling_matrix(self) -> Array:
        """C with theta = C q; the identity where each motor turns its own joint."""
        return np.eye(self.n) if self.coupling is None else np.array(self.coupling)

    # ---- kinematics -------------------------------------------------------------------------

    def pose(self, q: ArrayLike) -> Array:
        """Pose of the tool in the base frame, (..., 4, 4)."""
        return self.link_poses(q)[..., -1, :, :]

    def link_poses(self, q: ArrayLike) -> Array:
        """Poses of the link frames and, last, of the tool, (..., n + 1, 4, 4)."""
        from jointwise.kernels.kinematics import pose_batch

        return self._batch(pose_batch, self.chain, (self.n + 1, 4, 4), q=q)

    def jacobian(self, q: ArrayLike) -> Array:
        """Geometric Jacobian of the tool in base axes, (..., 6, n), linear rows first."""
        from jointwise.kernels.kinematics import jacobian_batch

        return self._batch(jacobian_batch, self.chain, (6, self.n), q=q)

    def jacobian_derivative(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Time derivative of the Jacobian along a motion, (..., 6, n)."""
        from jointwise.kernels.kinematics import jacobian_derivative_batch

        return self._batch(jacobian_derivative_batch, self.chain, (6, self.n), q=q, dq=dq)

    # ---- dynamics ---------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, *, rotors: bool = False
    ) -> Array:
        """Joint torque M ddq + C dq + g of the links; with `rotors` also the reflected rotors' share."""
        if not rotors and (one := self._torque_of_one(q, dq, ddq)) is not None:
            return one
        from jointwise.kernels.newton_euler import inverse_dynamics_batch

        torque = self._batch(inverse_dynamics_batch, self.arm, (self.n,), q=q, dq=dq, ddq=ddq)
        return torque + np.asarray(ddq) @ self.rotor_matrix() if rotors else torque

    def forward_dynamics(
        self, q: ArrayLike, dq: ArrayLike, tau: ArrayLike, *, rotors: bool = False
    ) -> Array:
        """Joint acceleration under joint torque; with `rotors` the reflected rotors move along."""
        from jointwise.kernels.mass_matrix import forward_dynamics_batch

        leading, arrays = samples.samples(self.n, {"q": q, "dq": dq, "tau": tau})
        extra = self.rotor_matrix() if rotors else np.zeros((self.n, self.n))
        out = np.empty_like(arrays[0])
        failed = samples.spread(forward_dynamics_batch, (self.arm, extra), [*arrays, out])
        if max(failed) >= 0:
            raise NumericalError(
                f"the mass matrix of {self.name} is not positive definite, so no acceleration follows from a "
                "torque; give every link beyond the first joint a mass, or pass rotors=True"
            )
        return out.reshape(*leading, self.n)

    def mass_matrix(self, q: ArrayLike, *, rotors: bool = False) -> Array:
        """Mass matrix of the links, (..., n, n); with `rotors` plus the reflected rotor inertia."""
        from jointwise.kernels.mass_matrix import mass_matrix_batch

        mass = self._batch(mass_matrix_batch, self.arm, (self.n, self.n), q=q)
        return mass + self.rotor_matrix() if rotors else mass

    def mass_matrix_derivative(self, q: ArrayLike) -> Array:
        """dM_ij/dq_k as entry (..., k, i, j)."""
        from jointwise.kernels.christoffel import mass_matrix_slopes_batch

        return self._batch(mass_matrix_slopes_batch, self.arm, (self.n,) * 3, q=q)

    def coriolis_matrix(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Coriolis matrix from Christoffel symbols, (..., n, n), so that dM/dt - 2C is skew-symmetric."""
        from jointwise.kernels.christoffel import coriolis_matrix_batch

        return self._batch(coriolis_matrix_batch, self.arm, (self.n, self.n), q=q, dq=dq)

    def gravity_torque(self, q: ArrayLike) -> Array:
        """Torque that holds the arm still, (..., n)."""
        from jointwise.kernels.newton_euler import gravity_batch

        return self._batch(gravity_batch, self.arm, (self.n,), q=q)

    def energy(self, q: ArrayLike, dq: ArrayLike) -> tuple[Array, Array]:
        """Kinetic and potential energy of the links in J, (...); potential is zero at the base origin."""
        from jointwise.kernels.kinematics import energy_batch

        both = self._batch(energy_batch, self.arm, (2,), q=q, dq=dq)
        return both[..., 0], both[..., 1]

    # ---- flexible joints --------------------------------------------------------------------

    def joint_torque_rates(
        self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, d3q: ArrayLike, d4q: ArrayLike
    ) -> JointTorqueRates:
        """Joint torque with its first and second time derivative along a motion known to the fourth derivative."""
        from jointwise.robot.elastic import joint_torque_rates

        return joint_torque_rates(self, q, dq, ddq, d3q, d4q)

    def elastic_inverse_dynamics(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        d3q: ArrayLike,
        d4q: ArrayLike,
        *,
        stiffness: ArrayLike | StiffnessLaw,
    ) -> ElasticMotion:
        """Rotor motion and motor torque that make the links of a flexible arm follow a motion; spec 11.5."""
        from jointwise.robot.elastic import elastic_inverse_dynamics

        return elastic_inverse_dynamics(self, (q, dq, ddq, d3q, d4q), stiffness)

    def flexible_model(self, q: ArrayLike, dq: ArrayLike, dtheta: ArrayLike) -> FlexibleModel:
        """Mass, Coriolis and gravity of the full flexible model with inertial coupling S(q); spec 03.2."""
        from jointwise.robot.flexible import flexible_model

        return flexible_model(self, q, dq, dtheta)

    # ---- parameters -------------------------------------------------------------------------

    def regressor(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        *,
        rotors: bool = False,
        friction: Sequence[str] = (),
    ) -> Array:
        """Y with torque = Y gamma, (..., n, columns): ten columns per link, then rotors, then friction columns.

        Friction columns are named as in `kernels.columns`, one column per joint and name.
        """
        from jointwise.robot.regressor import regressor

        return regressor(self, q, dq, ddq, rotors=rotors, friction=friction)

    def base_parameters(
        self, *, rotors: bool = False, friction: Sequence[str] = (), **options: Any
    ) -> BaseParameters:
        """The fewest parameters the torque depends on, with readable groupings; see `robot.base_parameters`."""
        from jointwise.robot.base_parameters import base_parameters

        return base_parameters(self, rotors=rotors, friction=friction, **options)

    # ---- helpers ----------------------------------------------------------------------------

    def _batch(self, kernel: Any, arm: Array, shape: tuple[int, ...], **given: ArrayLike) -> Array:
        leading, arrays = samples.samples(self.n, given)
        out = np.empty((arrays[0].shape[0], *shape))
        samples.spread(kernel, (arm,), [*arrays, out])
        return out.reshape(*leading, *shape)

    def with_sources(self, sources: Mapping[str, str]) -> Robot:
        """The same robot with notes on where values came from, added to those it has."""
        return replace(self, sources={**self.sources, **sources})


def _checked_coupling(
    coupling: Sequence[Sequence[float]], n: int
) -> tuple[tuple[float, ...], ...] | None:
    rows = samples.checked("coupling", coupling, n, n)
    if abs(np.linalg.det(rows)) < 1e-9:
        raise ParameterError("coupling", coupling, "an invertible matrix")
    return tuple(tuple(float(v) for v in row) for row in rows)
