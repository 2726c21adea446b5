"""The kinds of column a recording may hold: name, unit, meaning. Every value is SI and on the output side."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """Meaning of one column name; in files it appears once per joint as name_0, name_1, ..."""

    unit: str
    meaning: str


KINDS: dict[str, Kind] = {
    "q": Kind("rad", "link position, encoder after the gear"),
    "dq": Kind("rad/s", "link velocity as the controller reports it"),
    "theta": Kind("rad", "rotor position reflected to the output side, encoder before the gear"),
    "dtheta": Kind("rad/s", "rotor velocity reflected to the output side"),
    "q_ref": Kind("rad", "commanded position"),
    "dq_ref": Kind("rad/s", "commanded velocity"),
    "ddq_ref": Kind("rad/s^2", "commanded acceleration"),
    "current": Kind("A", "quadrature current of the motor"),
    "phase_a": Kind("A", "current of motor phase a"),
    "phase_b": Kind("A", "current of motor phase b"),
    "motor_torque": Kind("N m", "motor torque, before friction, reflected to the output side"),
    "command_torque": Kind("N m", "motor torque the controller asked for"),
    "joint_torque": Kind("N m", "torque the transmission puts on the link"),
    "temperature": Kind("degC", "temperature sensor at the motor"),
    "true_q": Kind("rad", "link position of the simulated arm"),
    "true_dq": Kind("rad/s", "link velocity of the simulated arm"),
    "true_theta": Kind("rad", "rotor position of the simulated arm"),
    "true_dtheta": Kind("rad/s", "rotor velocity of the simulated arm"),
    "true_joint_torque": Kind("N m", "transmission torque of the simulated arm"),
    "true_friction": Kind("N m", "rotor-side friction of the simulated arm"),
    "true_link_friction": Kind("N m", "link-side friction of the simulated arm"),
    "true_oil_temperature": Kind("degC", "oil temperature of the simulated arm"),
}
