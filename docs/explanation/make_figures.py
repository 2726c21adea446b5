"""Draw the figures of the explanation pages from the package's own laws.

python docs/explanation/make_figures.py            # writes docs/images/*.svg
python docs/explanation/make_figures.py FOLDER     # writes there instead
python docs/explanation/make_figures.py FOLDER png # pictures to look at

The same sources and machine give the same files: seeds are fixed, and no date is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import friction_figures
import gear_figures
import ladder_figures
import matplotlib as mpl
import torque_figures
from matplotlib.figure import Figure

from jointwise.report.figures import STYLE

IMAGES = Path(__file__).resolve().parent.parent / "images"
FIGURES: dict[str, Callable[[], Figure]] = {
    "measured-and-predicted": torque_figures.measured_and_predicted,
    "static-against-memory": friction_figures.static_against_memory,
    "hysteresis-loops": friction_figures.hysteresis_loops,
    "return-point": friction_figures.return_point,
    "presliding-stiffness": friction_figures.presliding_stiffness,
    "friction-ladder": ladder_figures.ladder_on_real_arms,
    "stribeck-curve": friction_figures.stribeck_curve,
    "load-dependence": friction_figures.load_dependence,
    "temperature-curves": friction_figures.temperature_curves,
    "oil-and-sensor": friction_figures.oil_and_sensor,
    "gear-stiffness": gear_figures.gear_stiffness,
    "kinematic-error": gear_figures.kinematic_error,
    "two-encoders": gear_figures.two_encoders,
    "integrators": gear_figures.integrators,
}


def main(folder: Path = IMAGES, kind: str = "svg") -> list[Path]:
    """Write all figures; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type")) if kind == "svg" else None
    paths = []
    for title, draw in FIGURES.items():
        with mpl.rc_context(STYLE):
            target = folder / f"{title}.{kind}"
            draw().savefig(target, metadata=nothing, dpi=110)
            paths.append(target)
    return paths


if __name__ == "__main__":
    chosen = [Path(sys.argv[1])] if len(sys.argv) > 1 else []
    for written in main(*chosen, *sys.argv[2:3]):
        print(written)
