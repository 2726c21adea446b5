"""How friction splits between rotor and link. Spec 09.7, PA1 10-12, PA2 8-9.

    F_link(omega) = (tau_E(phi_+) - tau_E(phi_-))/2,   F_rotor = motor friction - F_link

At constant speed about an axis parallel to gravity the gear carries only what rubs on the link. Deformation is taken
at the same places in both directions, so that kinematic error and encoder zeros fall out of the difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import need_both_encoders, read
from jointwise.experiments.joint.pose import ALIGNED
from jointwise.experiments.joint.result import Outcome, Row, joint_fit, saturation_note
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.joint.steady import Plateau, plateaus
from jointwise.experiments.joint.velocity import plan as velocity_plan
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.transmissions import Transmission
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
SAME_SPEED = 0.1
FEWEST = 2


def plan(robot: Robot, joint: str | int) -> Motion:
    """The sweeps of the friction experiment."""
    joint_index(robot, joint)
    return velocity_plan(robot, joint)


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> Fit:
    """Coulomb and viscous friction on the link side from sweeps with both encoders and a known stiffness."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    need_both_encoders("link friction", given.parts)
    known = robot.joints[given.place].transmission
    robot.require("link friction", [(f"joints.{given.joint}.transmission", known)])
    if isinstance(known, Unknown):
        raise ParameterError("transmission", known, "known")
    spring = Transmission.from_law(known).stiffness
    rows = []
    for number, samples in enumerate(given.parts):
        pieces = plateaus(samples, number)
        for front in [p for p in pieces if p.omega > 0.0]:
            backs = [p for p in pieces if abs(p.omega + front.omega) < SAME_SPEED * front.omega]
            for back in backs[:1]:
                half, torque_half = _half_difference(samples, front, back)
                rows.append((front.omega, float(spring.torque(half)), torque_half))
    if len(rows) < FEWEST:
        raise ParameterError("recordings", f"{len(rows)} speeds both ways", f"at least {FEWEST}")
    table = np.array(rows)
    omega, link, motor = table[:, 0], table[:, 1], table[:, 2]
    design = np.column_stack([np.ones_like(omega), omega])
    values = np.linalg.lstsq(design, link, rcond=None)[0]
    residual = link - design @ values
    one = "" if np.ptp(omega) > 0.1 * omega.max() else "one speed only"
    found = (
        Row(name="link_coulomb", value=float(values[0]), unit="N m [N]", meaning="seals and cables", hidden=one),
        Row(name="link_viscous", value=float(values[1]), unit="N m s/rad", meaning="on the link side", hidden=one),
    )  # fmt: skip
    notes: tuple[str, ...] = (
        "a robot file has no place for friction on the link: the robot is unchanged",
    )
    if given.angle > ALIGNED:
        notes += ("the axis is not parallel to gravity: deformation under gravity cancels only where both sweeps "
                  "cover the same places",)  # fmt: skip
    outcome = Outcome(
        experiment="link-friction",
        joint=given.joint,
        rows=found,
        jacobian=design,
        residual=residual,
        groups=np.arange(len(omega)),
        scores={
            "nrmse_percent": nrmse_percent(link, link - residual),
            "rmse": rmse(residual),
            "link_share_percent": 100.0 * float(np.mean(link) / max(float(np.mean(motor)), 1e-9)),
        },
        notes=(*notes, *saturation_note(max(s.saturated for s in given.parts))),
        arrays={"velocity": omega, "link_friction": link, "rotor_friction": motor - link},
    )
    return joint_fit(outcome, robot, {}, given.recordings)


def _half_difference(samples: JointSamples, front: Plateau, back: Plateau) -> tuple[float, float]:
    """Half the difference of deformation and of motor torque between both directions, over the same places."""
    link = samples.theta if samples.q is None else samples.q
    phi = samples.theta - link
    one, two = slice(front.start, front.stop), slice(back.start, back.stop)
    low = max(float(samples.theta[one].min()), float(samples.theta[two].min()))
    high = min(float(samples.theta[one].max()), float(samples.theta[two].max()))
    edges = np.linspace(low, high, 25)
    means = []
    for part in (one, two):
        which = np.digitize(samples.theta[part], edges)
        inside = (which > 0) & (which < len(edges))
        count = np.bincount(which[inside], minlength=len(edges))
        for values in (phi, samples.torque):
            total = np.bincount(which[inside], values[part][inside], minlength=len(edges))
            means.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
    return (
        float(np.nanmean(0.5 * (means[0] - means[2]))),
        float(np.nanmean(0.5 * (means[1] - means[3]))),
    )
