"""From the code of a law to its kernel: one branch for each law.

A code is part of the description of a joint, never of its state, so a chain of `if` costs a predicted branch in
compiled code and nothing in traced code.
"""

from __future__ import annotations

from jointwise.laws import bittencourt as b
from jointwise.laws import kinematic_error as ke
from jointwise.laws import load, smooth_sign
from jointwise.laws import lost_motion as lm
from jointwise.laws import odd_polynomial as op
from jointwise.laws import rounded_segments as rs
from jointwise.laws import smooth_backlash as sb
from jointwise.laws import temperature as te
from jointwise.laws import three_segments as ts
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import coulomb_step
from jointwise.laws.counterbalance import counterbalance_step
from jointwise.laws.degressive import degressive_step
from jointwise.laws.directional import directional_step
from jointwise.laws.e_gms import e_gms_step
from jointwise.laws.gear_loss import gear_loss_step
from jointwise.laws.gms import gms_step
from jointwise.laws.linear import (
    linear_deformation,
    linear_slope,
    linear_stiffness,
    linear_torque,
)
from jointwise.laws.liu import liu_step
from jointwise.laws.lugre import lugre_step
from jointwise.laws.maxwell_slip import maxwell_slip_step
from jointwise.laws.offset import offset_step
from jointwise.laws.rested_grid import rested_grid_step
from jointwise.laws.slip_bank import slip_bank_step
from jointwise.laws.stiction import stiction_step
from jointwise.laws.stribeck import stribeck_step
from jointwise.laws.stribeck_grid import stribeck_grid_step
from jointwise.laws.velocity import velocity_step
from jointwise.laws.viscous import viscous_step

NAN = float("nan")

CODE, P_START, P_STOP, S_START, S_STOP = range(5)
"""Columns of a table of friction terms."""


@leaf
def friction_step(code, p, s, s_new, x):
    """Torque of one friction law; its new states go to `s_new`."""
    if code == 21:
        return e_gms_step(p, s, s_new, x)
    if code == 9:
        return velocity_step(p, s, s_new, x)
    if code == 14:
        return te.temperature_change_step(p, s, s_new, x)
    if code == 1:
        return viscous_step(p, s, s_new, x)
    if code == 2:
        return coulomb_step(p, s, s_new, x)
    if code == 3:
        return offset_step(p, s, s_new, x)
    if code == 4:
        return stiction_step(p, s, s_new, x)
    if code == 5:
        return stribeck_step(p, s, s_new, x)
    if code == 6:
        return smooth_sign.tanh_step(p, s, s_new, x)
    if code == 7:
        return smooth_sign.sigmoid_step(p, s, s_new, x)
    if code == 8:
        return smooth_sign.zone_step(p, s, s_new, x)
    if code == 10:
        return degressive_step(p, s, s_new, x)
    return _friction_step_rest(code, p, s, s_new, x)


@leaf
def _friction_step_rest(code, p, s, s_new, x):
    if code == 11:
        return load.linear_load_step(p, s, s_new, x)
    if code == 12:
        return load.quadratic_load_step(p, s, s_new, x)
    if code == 13:
        return te.temperature_step(p, s, s_new, x)
    if code == 15:
        return b.warm_stribeck_step(p, s, s_new, x)
    if code == 16:
        return b.bittencourt_step(p, s, s_new, x)
    if code == 17:
        return liu_step(p, s, s_new, x)
    if code == 18:
        return lugre_step(p, s, s_new, x)
    if code == 19:
        return gear_loss_step(p, s, s_new, x)
    if code == 20:
        return maxwell_slip_step(p, s, s_new, x)
    if code == 22:
        return gms_step(p, s, s_new, x)
    if code == 23:
        return directional_step(p, s, s_new, x)
    if code == 24:
        return slip_bank_step(p, s, s_new, x)
    if code == 25:
        return stribeck_grid_step(p, s, s_new, x)
    if code == 26:
        return counterbalance_step(p, s, s_new, x)
    if code == 27:
        return rested_grid_step(p, s, s_new, x)
    return NAN


@leaf
def friction_sum(terms, first, last, p, s, s_new, x):
    """Torque of one joint: the sum of rows first to last - 1 of the table of terms.

    A row holds code, start and stop in the parameters p, start and stop in the states s.
    """
    total = 0.0
    for k in range(first, last):
        row = terms[k]
        total += friction_step(
            row[CODE],
            p[row[P_START] : row[P_STOP]],
            s[row[S_START] : row[S_STOP]],
            s_new[row[S_START] : row[S_STOP]],
            x,
        )
    return total


@leaf
def transmission_torque(code, p, phi):
    """Elastic torque at a deformation."""
    if code == 1:
        return linear_torque(p, phi)
    if code == 2:
        return op.polynomial_torque(p, phi)
    if code == 3:
        return ts.segments_torque(p, phi)
    if code == 4:
        return lm.lost_motion_torque(p, phi)
    if code == 5:
        return sb.smooth_torque(p, phi)
    if code == 6:
        return sb.lag_torque(p, phi)
    if code == 7:
        return rs.rounded_torque(p, phi)
    return NAN


@leaf
def transmission_stiffness(code, p, phi):
    """Stiffness at a deformation."""
    if code == 1:
        return linear_stiffness(p, phi)
    if code == 2:
        return op.polynomial_stiffness(p, phi)
    if code == 3:
        return ts.segments_stiffness(p, phi)
    if code == 4:
        return lm.lost_motion_stiffness(p, phi)
    if code == 5:
        return sb.smooth_stiffness(p, phi)
    if code == 6:
        return sb.lag_stiffness(p, phi)
    if code == 7:
        return rs.rounded_stiffness(p, phi)
    return NAN


@leaf
def transmission_slope(code, p, phi):
    """Derivative of the stiffness by the deformation."""
    if code == 1:
        return linear_slope(p, phi)
    if code == 2:
        return op.polynomial_slope(p, phi)
    if code == 3:
        return ts.segments_slope(p, phi)
    if code == 4:
        return lm.lost_motion_slope(p, phi)
    if code == 5:
        return sb.smooth_slope(p, phi)
    if code == 6:
        return sb.lag_slope(p, phi)
    if code == 7:
        return rs.rounded_slope(p, phi)
    return NAN


@leaf
def transmission_deformation(code, p, tau):
    """Deformation at an elastic torque."""
    if code == 1:
        return linear_deformation(p, tau)
    if code == 2:
        return op.polynomial_deformation(p, tau)
    if code == 3:
        return ts.segments_deformation(p, tau)
    if code == 4:
        return lm.lost_motion_deformation(p, tau)
    if code == 5:
        return sb.smooth_deformation(p, tau)
    if code == 6:
        return sb.lag_deformation(p, tau)
    if code == 7:
        return rs.rounded_deformation(p, tau)
    return NAN


@leaf
def kinematic_error(code, p, theta):
    """Kinematic error at a rotor angle; zero for code 0, a joint without any."""
    if code == 1:
        return ke.fourier_error(p, theta)
    if code == 2:
        return ke.table_error(p, theta)
    return 0.0 * theta


@leaf
def kinematic_error_slope(code, p, theta):
    """Its derivative by the rotor angle."""
    if code == 1:
        return ke.fourier_error_slope(p, theta)
    if code == 2:
        return ke.table_error_slope(p, theta)
    return 0.0 * theta
