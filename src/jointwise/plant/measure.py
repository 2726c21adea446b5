"""Kernels of the sensors and of the servo: what the drive electronics do once per control period."""

from __future__ import annotations

import math

from jointwise.laws.compiled import leaf
from jointwise.laws.pmsm import currents_to_phases, phases_to_currents
from jointwise.plant.layout import DQ, DTHETA, THETA, Q

# Columns of `sensors` (plant.sensors.JointSensors.pack, then drive data).
MOTOR_ENCODER = 0  # resolution, noise, offset, ripple, cycles
LINK_ENCODER = 5
CURRENT = 10  # noise, offset a, offset b, gain a, gain b, pole pairs
TEMPERATURE_SENSOR = 16  # resolution, noise, offset
TORQUE_CONSTANT = 19  # reflected
GEAR_RATIO = 20
HAS_LINK_ENCODER = 21
NOMINAL_INERTIA = 22  # that the servo scales its gains with
TORQUE_LIMIT = 23
SENSOR_WIDTH = 24

# Rows of one tick of `noise`, standard normal numbers.
NOISE_MOTOR, NOISE_LINK, NOISE_A, NOISE_B, NOISE_TEMPERATURE = 0, 1, 2, 3, 4
NOISES = 5

# Rows of one tick of `events`.
FREEZE_MOTOR, FREEZE_LINK, ADD_MOTOR, ADD_LINK, WRAP, TORQUE_SHARE = 0, 1, 2, 3, 4, 5
EVENTS = 6

# Rows of one tick of a record.
R_MOTOR, R_LINK, R_CURRENT, R_PHASE_A, R_PHASE_B, R_TEMPERATURE, R_COMMAND = 0, 1, 2, 3, 4, 5, 6
R_Q, R_DQ, R_THETA, R_DTHETA, R_JOINT_TORQUE, R_FRICTION, R_LINK_FRICTION, R_OIL = (
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
)
RECORD = 15

# Columns of the servo's memory, one row per joint.
INTEGRAL, LAST_MOTOR, SPEED, LAST_LINK, STARTED, TORQUE = 0, 1, 2, 3, 4, 5
SERVO_STATES = 6

# Gains: position, velocity, integral, share of a new speed in the filtered one.
HOUSING, OIL = 0, 1


@leaf
def rounded(value, resolution):
    """Nearest multiple of the resolution; the value itself where that is zero."""
    if resolution <= 0.0:
        return value
    return math.floor(value / resolution + 0.5) * resolution


@leaf
def read_encoder(row, k, angle, noise, wrap):
    """Reported angle of the encoder whose numbers start at column k."""
    angle = angle + row[k + 2] + row[k + 3] * math.sin(row[k + 4] * angle) + row[k + 1] * noise
    if wrap > 0.0:
        angle = angle - wrap * math.floor(angle / wrap + 0.5)
    return rounded(angle, row[k])


@leaf
def measure(sensors, x, torque, temperature, stagger, noise, events, memory, record):
    """Fill the measured rows of a record; `stagger` is how late the sample is taken, `torque` the motor's."""
    for j in range(x.shape[1]):
        row = sensors[j]
        wrap = events[WRAP, j]
        theta = x[THETA, j] + stagger * x[DTHETA, j]
        q = x[Q, j] + stagger * x[DQ, j]
        motor = read_encoder(row, MOTOR_ENCODER, theta, noise[NOISE_MOTOR, j], wrap)
        link = read_encoder(row, LINK_ENCODER, q, noise[NOISE_LINK, j], wrap)
        started = memory[j, STARTED] > 0.0
        motor += events[ADD_MOTOR, j]
        link += events[ADD_LINK, j]
        if started and events[FREEZE_MOTOR, j] > 0.0:
            motor = memory[j, LAST_MOTOR]
        if started and events[FREEZE_LINK, j] > 0.0:
            link = memory[j, LAST_LINK]
        record[R_MOTOR, j] = motor
        record[R_LINK, j] = link
        angle = row[CURRENT + 5] * row[GEAR_RATIO] * theta
        current = torque[j] / row[TORQUE_CONSTANT]
        a, b, _ = currents_to_phases(0.0, current, angle)
        a = row[CURRENT + 3] * a + row[CURRENT + 1] + row[CURRENT] * noise[NOISE_A, j]
        b = row[CURRENT + 4] * b + row[CURRENT + 2] + row[CURRENT] * noise[NOISE_B, j]
        record[R_PHASE_A, j] = a
        record[R_PHASE_B, j] = b
        record[R_CURRENT, j] = phases_to_currents(a, b, -a - b, angle)[1]
        k = TEMPERATURE_SENSOR
        warm = temperature[HOUSING, j] + row[k + 2] + row[k + 1] * noise[NOISE_TEMPERATURE, j]
        record[R_TEMPERATURE, j] = rounded(warm, row[k])


@leaf
def servo(sensors, gains, reference, record, events, memory, period, torque):
    """Motor torque of the position controller from the measured rows of a record; `reference` is q, dq, torque."""
    for j in range(reference.shape[1]):
        row = sensors[j]
        motor = record[R_MOTOR, j]
        if memory[j, STARTED] == 0.0:
            memory[j, LAST_MOTOR] = motor
            memory[j, SPEED] = reference[1, j]
        speed = (motor - memory[j, LAST_MOTOR]) / period
        memory[j, SPEED] += gains[3] * (speed - memory[j, SPEED])
        memory[j, LAST_MOTOR] = motor
        memory[j, LAST_LINK] = record[R_LINK, j]
        memory[j, STARTED] = 1.0
        position = record[R_LINK, j] if row[HAS_LINK_ENCODER] > 0.0 else motor
        wanted = reference[1, j] + gains[0] * (reference[0, j] - position)
        error = wanted - memory[j, SPEED]
        integral = memory[j, INTEGRAL] + gains[2] * period * error
        inertia = row[NOMINAL_INERTIA]
        unlimited = reference[2, j] + inertia * gains[1] * (error + integral)
        limit = row[TORQUE_LIMIT] * events[TORQUE_SHARE, j]
        torque[j] = min(max(unlimited, -limit), limit)
        # The integrator stands still while the torque is limited, so that it does not wind up.
        if torque[j] == unlimited:
            memory[j, INTEGRAL] = integral


@leaf
def torque_command(sensors, reference, record, events, memory, torque):
    """Motor torque of a torque command, limited; the third row of `reference` is the torque."""
    for j in range(reference.shape[1]):
        memory[j, LAST_MOTOR] = record[R_MOTOR, j]
        memory[j, LAST_LINK] = record[R_LINK, j]
        memory[j, STARTED] = 1.0
        limit = sensors[j, TORQUE_LIMIT] * events[TORQUE_SHARE, j]
        torque[j] = min(max(reference[2, j], -limit), limit)


@leaf
def warm_up(thermal, torque, friction_heat, period, temperature):
    """Temperatures after one period; `friction_heat` is the work friction took in it. Columns: plant.thermal."""
    for j in range(torque.shape[0]):
        ambient, capacity_h, capacity_o = thermal[j, 0], thermal[j, 2], thermal[j, 3]
        housing = temperature[HOUSING, j]
        oil = temperature[OIL, j]
        across = thermal[j, 5] * (housing - oil)
        copper = thermal[j, 6] * torque[j] * torque[j]
        out = thermal[j, 4] * (housing - ambient)
        gained = friction_heat[j] + period * (copper - out - across)
        temperature[HOUSING, j] = housing + gained / capacity_h
        temperature[OIL, j] = oil + period * across / capacity_o
