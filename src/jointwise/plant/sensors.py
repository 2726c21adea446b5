"""What the sensors of the arm report: encoders, phase currents, temperature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jointwise.errors import ParameterError
from jointwise.units import Unit, check_fields

NONNEGATIVE_RAD = Unit("rad", lower=0.0, upper=10.0)


@dataclass(frozen=True, kw_only=True)
class Encoder:
    """Encoder of one joint, angles on the output side.

    reported = round_to(resolution, angle + offset + sum of ripple + noise). The ripple is the encoder's own error,
    `ripple` rad at `ripple_cycles` per output turn; kinematic error of the gear belongs to the joint, not here.
    """

    resolution: Annotated[float, NONNEGATIVE_RAD] = 0.0
    noise: Annotated[float, NONNEGATIVE_RAD] = 0.0
    offset: Annotated[float, Unit("rad", lower=-10.0, upper=10.0)] = 0.0
    ripple: Annotated[float, NONNEGATIVE_RAD] = 0.0
    ripple_cycles: Annotated[float, Unit("1", lower=0.0, upper=1e6)] = 1.0

    def __post_init__(self) -> None:
        check_fields(self, "encoder")


@dataclass(frozen=True, kw_only=True)
class CurrentSensor:
    """Two measured phase currents of the motor; the third follows from their sum.

    Each phase reads gain error and offset of its own plus noise; the quadrature current is computed from them as a
    drive does, so offsets appear as ripple at the electrical frequency.
    """

    noise: Annotated[float, Unit("A", lower=0.0, upper=1e3)] = 0.0
    offset_a: Annotated[float, Unit("A", lower=-1e3, upper=1e3)] = 0.0
    offset_b: Annotated[float, Unit("A", lower=-1e3, upper=1e3)] = 0.0
    gain_error_a: Annotated[float, Unit("1", lower=-0.9, upper=10.0)] = 0.0
    gain_error_b: Annotated[float, Unit("1", lower=-0.9, upper=10.0)] = 0.0
    pole_pairs: Annotated[float, Unit("1", lower=1.0, upper=100.0)] = 8.0

    def __post_init__(self) -> None:
        check_fields(self, "current_sensor")


@dataclass(frozen=True, kw_only=True)
class TemperatureSensor:
    """Sensor at the motor housing."""

    resolution: Annotated[float, Unit("K", lower=0.0, upper=100.0)] = 0.0
    noise: Annotated[float, Unit("K", lower=0.0, upper=100.0)] = 0.0
    offset: Annotated[float, Unit("K", lower=-100.0, upper=100.0)] = 0.0

    def __post_init__(self) -> None:
        check_fields(self, "temperature_sensor")


@dataclass(frozen=True, kw_only=True)
class JointSensors:
    """All sensors of one joint; link encoder None where the arm has none."""

    motor_encoder: Encoder = Encoder()
    link_encoder: Encoder | None = Encoder()
    current: CurrentSensor = CurrentSensor()
    temperature: TemperatureSensor = TemperatureSensor()

    def pack(self) -> tuple[float, ...]:
        """Numbers for the kernel, in the order of `plant.measure`."""
        link = self.link_encoder or Encoder()
        c, t = self.current, self.temperature
        return (
            *_packed(self.motor_encoder),
            *_packed(link),
            c.noise,
            c.offset_a,
            c.offset_b,
            1.0 + c.gain_error_a,
            1.0 + c.gain_error_b,
            c.pole_pairs,
            t.resolution,
            t.noise,
            t.offset,
        )


def _packed(encoder: Encoder) -> tuple[float, ...]:
    e = encoder
    return (e.resolution, e.noise, e.offset, e.ripple, e.ripple_cycles)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """When values are recorded: every `stride`-th control period, each stamp off by a jitter of this spread."""

    stride: int = 1
    jitter: Annotated[float, Unit("s", lower=0.0, upper=0.1)] = 0.0

    def __post_init__(self) -> None:
        check_fields(self, "sampling")
        if isinstance(self.stride, bool) or not isinstance(self.stride, int) or self.stride < 1:
            raise ParameterError("sampling.stride", self.stride, "a whole number of at least 1")
