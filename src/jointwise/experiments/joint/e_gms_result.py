"""From the solution of the E-GMS experiment to laws and rows of parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.joint.e_gms_model import FRICTION, Rows, Solution, columns_of
from jointwise.experiments.joint.result import Row
from jointwise.laws.base import FrictionLaw
from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.e_gms import EGMS
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.viscous import Viscous

Array = NDArray[np.float64]
UNITS = {
    "coulomb": ("N m [N]", "amplitude without load"),
    "load_linear": ("1", "growth with load"),
    "load_quadratic": ("1/(N m)", "growth with the square of load"),
    "stribeck_excess": ("N m [N]", "excess at creeping speed"),
    "viscous_root": ("N m (s/rad)^0.5", "square root of speed, at the reference temperature"),
    "viscous": ("N m s/rad", "proportional to speed"),
    "slope": ("N m (s/rad)^0.5 / degC", "change of the root with temperature"),
}
SHAPES = (
    ("limit_exponent", "1", "r_D: how limits are spaced"),
    ("stiffness_exponent", "1", "r_k: how torques fall"),
    ("half_backlash", "rad [m]", "way after which everything slips, mean over the turn"),
    ("stribeck_velocity", "rad/s [m/s]", "where the excess has fallen"),
    ("stribeck_exponent", "1", "how sharply it falls"),
)
STEP = 1e-3
EDGE = 1e-3


def laws_of(found: Solution, rows: Rows, reference: float) -> tuple[FrictionLaw, ...]:
    """The laws the robot file stores."""
    value = dict(zip(FRICTION, (float(v) for v in found.linear), strict=False))
    place = found.place
    memory = EGMS(
        coulomb=value["coulomb"],
        load_linear=value["load_linear"],
        load_quadratic=value["load_quadratic"],
        stribeck_excess=value["stribeck_excess"],
        stribeck_velocity=float(np.exp(place[3])),
        stribeck_exponent=float(place[4]),
        operators=float(found.model.operators),
        limit_exponent=float(place[0]),
        stiffness_exponent=float(place[1]),
        half_backlash=tuple(float(v) for v in found.width_table()),
    )
    laws: list[FrictionLaw] = [
        memory,
        DegressiveViscous(viscous_root=value["viscous_root"]),
        Viscous(viscous=value["viscous"]),
    ]
    if found.model.warm:
        low = float(rows.warmth.min()) + reference
        high = float(rows.warmth.max()) + reference
        laws.append(
            TemperatureChange(
                slope=value["slope"], cube=0.0, reference=reference,
                temperature_low=max(low - 5.0, 1.0), temperature_high=high + 5.0,
            )
        )  # fmt: skip
    return tuple(laws)


def table_of(found: Solution, rows: Rows) -> tuple[tuple[Row, ...], Array]:
    """Rows of parameters, and the Jacobian of the torque by them, nuisances taken out."""
    model = found.model
    table, columns = [], []
    blind = "" if model.memory else "too few reversals"
    no_peak = "no excess was found" if found.linear[3] <= 0.0 else ""
    for k, (name, unit, meaning) in enumerate(SHAPES):
        value, at = float(found.place[k]), float(found.place[k])
        if name in ("half_backlash", "stribeck_velocity"):
            value = float(np.exp(at))
        edge = min(at - model.low[k], model.high[k] - at) < EDGE * (model.high[k] - model.low[k])
        bound = "the search ended at the edge of its range" if edge else ""
        hidden = blind or (no_peak if name.startswith("stribeck") else "")
        table.append(
            Row(name=name, value=value, unit=unit, meaning=meaning, hidden=hidden, bound=bound)
        )
        slope = _slope(found, rows, k)
        columns.append(slope / value if value != at else slope)
    for n in range(model.waves):
        for w, k in (("cosine", 5 + 2 * n), ("sine", 6 + 2 * n)):
            table.append(
                Row(name=f"backlash_{w}_{n + 1}", value=float(found.place[k]), unit="1",
                    meaning="wave of the logarithm of the backlash")
            )  # fmt: skip
            columns.append(_slope(found, rows, k))
    why = {
        "load_linear": "" if model.loaded else "one load only",
        "load_quadratic": "" if model.loaded else "one load only",
        "slope": "" if model.warm else "one temperature only",
    }
    for k, name in enumerate(FRICTION):
        unit, meaning = UNITS[name]
        value = float(found.linear[k])
        zero = "the data want none of it" if value <= 0.0 and name != "slope" else ""
        table.append(
            Row(
                name=name,
                value=value,
                unit=unit,
                meaning=meaning,
                hidden=why.get(name, ""),
                bound=zero,
            )
        )
        columns.append(found.columns[:, k])
    jacobian = np.column_stack(columns)
    plain = found.columns[:, len(FRICTION) :]
    basis = np.linalg.qr(plain[rows.used])[0]
    inside = basis @ (basis.T @ jacobian[rows.used])
    jacobian[rows.used] -= inside
    return tuple(table), jacobian


def _slope(found: Solution, rows: Rows, k: int) -> Array:
    """Derivative of the friction by one number of the shape."""
    ahead, behind = found.place.copy(), found.place.copy()
    ahead[k] += STEP
    behind[k] -= STEP
    torque = [
        columns_of(found.model, rows, at, found.load) @ found.linear[: len(FRICTION)]
        for at in (ahead, behind)
    ]
    return np.asarray((torque[0] - torque[1]) / (2.0 * STEP))
