"""The position controller of an industrial arm: a cascade of position and velocity loop, with integrator.

    v_cmd = dq_ref + K_P (q_ref - q_meas)
    tau   = tau_ff + b [ K_V (v_cmd - v_meas) + K_V K_I integral(v_cmd - v_meas) ]

b is the inertia the motor sees, so that one set of gains serves every joint. The measured velocity is the filtered
difference of the motor encoder; the position loop closes on the link encoder where there is one. W(16)-(18) with the
missing gear ratio resolved by working on the output side (erratum 46).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from jointwise.errors import ParameterError
from jointwise.units import Unit, check_fields


@dataclass(frozen=True, kw_only=True)
class Servo:
    """Gains of the cascade, the same for every joint."""

    position_gain: Annotated[float, Unit("1/s", lower=0.0, upper=1e4)] = 20.0
    velocity_gain: Annotated[float, Unit("1/s", lower=0.0, upper=1e5)] = 100.0
    integral_gain: Annotated[float, Unit("1/s", lower=0.0, upper=1e4)] = 20.0
    velocity_filter_hz: Annotated[float, Unit("Hz", lower=0.0, upper=1e5, open_lower=True)] = 200.0
    feedforward: Literal["gravity", "rigid", "none"] = "rigid"
    """What the drive's own model adds: nothing, gravity, or the rigid arm with its rotors, along the reference."""

    def __post_init__(self) -> None:
        check_fields(self, "servo")
        if self.feedforward not in ("gravity", "rigid", "none"):
            raise ParameterError(
                "servo.feedforward", self.feedforward, "'gravity', 'rigid' or 'none'"
            )
