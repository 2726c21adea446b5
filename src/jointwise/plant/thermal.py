"""Temperature of the joints: losses heat motor housing and oil; the oil lags behind the sensor on the housing.

    C_h dT_h = P_copper + P_friction - G_a (T_h - T_ambient) - G_o (T_h - T_o)
    C_o dT_o = G_o (T_h - T_o)

Two lumped masses are the least that lets the sensor (housing) and what friction feels (oil) differ: the oil follows
with the time constant C_o / G_o, which is what a temperature model identified from the sensor has to live with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from jointwise.errors import ParameterError
from jointwise.units import Unit, check_fields


@dataclass(frozen=True, kw_only=True)
class Thermal:
    """Thermal model of one joint."""

    ambient_degc: Annotated[float, Unit("degC", lower=-50.0, upper=100.0)] = 22.0
    start_degc: Annotated[float, Unit("degC", lower=-50.0, upper=150.0)] = 22.0
    housing_capacity: Annotated[float, Unit("J/K", lower=0.0, open_lower=True)] = 800.0
    oil_capacity: Annotated[float, Unit("J/K", lower=0.0, open_lower=True)] = 150.0
    to_ambient: Annotated[float, Unit("W/K", lower=0.0)] = 1.0
    to_oil: Annotated[float, Unit("W/K", lower=0.0)] = 0.8
    copper_loss: Annotated[float, Unit("W/(N m)^2", lower=0.0)] = 0.01
    """loss per square of motor torque, output side"""

    def __post_init__(self) -> None:
        check_fields(self, "thermal")

    @property
    def fastest(self) -> float:
        """Rate of the faster of the two exponentials, 1/s."""
        housing = (self.to_ambient + self.to_oil) / self.housing_capacity
        oil = self.to_oil / self.oil_capacity
        across = 4.0 * self.to_oil / self.housing_capacity * oil
        return 0.5 * (housing + oil + math.sqrt((housing - oil) ** 2 + across))

    def check_period(self, joint: str, period: float) -> None:
        """Refuse a control period that is longer than the shortest time constant: heat moves by explicit steps."""
        if period * self.fastest > 1.0:
            raise ParameterError(
                f"control period of the twin (heat of joint {joint})",
                period,
                f"at most {1.0 / self.fastest:.4g} s, the shortest time constant of its housing and oil",
                "give them larger capacities",
            )

    def pack(self) -> tuple[float, ...]:
        """Numbers for the kernel."""
        return (
            self.ambient_degc,
            self.start_degc,
            self.housing_capacity,
            self.oil_capacity,
            self.to_ambient,
            self.to_oil,
            self.copper_loss,
        )
