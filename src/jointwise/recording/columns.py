"""The kinds of column a recording may hold: name, unit, meaning. Every value is SI and on the output side.

Units in brackets are those of a prismatic joint. Where motors turn more than one joint (`Robot.coupling`), kinds that
belong to a motor count motors, theta = C q, and the others count joints: joint torque is C^T times motor torque.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """Meaning of one column name; in files it appears once per joint as name_0, name_1, ..."""

    unit: str
    meaning: str
    of_motor: bool = False
    """True where the column counts motors, not joints."""


ANGLE, SPEED, ACCELERATION, TORQUE = "rad [m]", "rad/s [m/s]", "rad/s^2 [m/s^2]", "N m [N]"

KINDS: dict[str, Kind] = {
    "q": Kind(ANGLE, "link position, encoder after the gear, or as the controller reports it"),
    "dq": Kind(SPEED, "link velocity as the controller reports it"),
    "ddq": Kind(ACCELERATION, "link acceleration as the controller reports it"),
    "theta": Kind(
        ANGLE, "rotor position reflected to the output side, encoder before the gear", True
    ),
    "dtheta": Kind(SPEED, "rotor velocity reflected to the output side", True),
    "q_ref": Kind(ANGLE, "commanded position"),
    "dq_ref": Kind(SPEED, "commanded velocity"),
    "ddq_ref": Kind(ACCELERATION, "commanded acceleration"),
    "current": Kind("A", "quadrature current of the motor", True),
    "current_ref": Kind("A", "current the controller asked for", True),
    "phase_a": Kind("A", "current of motor phase a", True),
    "phase_b": Kind("A", "current of motor phase b", True),
    "motor_torque": Kind(
        TORQUE, "motor torque, before friction, reflected to the output side", True
    ),
    "motor_signal": Kind(
        "1", "motor torque or current in the drive's own unit, gain to be fitted", True
    ),
    "command_torque": Kind(TORQUE, "motor torque the controller asked for", True),
    "joint_torque": Kind(TORQUE, "torque the transmission puts on the link"),
    "model_torque": Kind(TORQUE, "torque the controller's own model asks for"),
    "compensated_torque": Kind(TORQUE, "motor torque less the controller's own gravity torque"),
    "temperature": Kind("degC", "temperature sensor at the motor", True),
    "true_q": Kind(ANGLE, "link position of the simulated arm"),
    "true_dq": Kind(SPEED, "link velocity of the simulated arm"),
    "true_theta": Kind(ANGLE, "rotor position of the simulated arm", True),
    "true_dtheta": Kind(SPEED, "rotor velocity of the simulated arm", True),
    "true_joint_torque": Kind(TORQUE, "transmission torque of the simulated arm"),
    "true_friction": Kind(TORQUE, "rotor-side friction of the simulated arm", True),
    "true_link_friction": Kind(TORQUE, "link-side friction of the simulated arm"),
    "true_oil_temperature": Kind("degC", "oil temperature of the simulated arm", True),
}


def same_unit(stated: object, name: str) -> bool:
    """True where a file states the unit of a kind, with or without that of a prismatic joint."""
    unit = KINDS[name].unit
    return stated in (unit, unit.split(" [")[0])
