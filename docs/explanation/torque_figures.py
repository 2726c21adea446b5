"""Measured and predicted torque: the main job in one figure, on a simulated arm."""

from __future__ import annotations

from matplotlib.figure import Figure

import jointwise as jw

SEED = 3
FILTER_HZ = 10.0
SECONDS = 6.2
STEP = 12
"""One of so many samples is drawn: at 200 Hz, of a torque low-passed at 10 Hz."""
MEASURED, PREDICTED, LEFT = "#b5b5b5", "#0072B2", "#D55E00"


def measured_and_predicted() -> Figure:
    """Torque of every joint along a motion the fit has not seen."""
    arm = jw.random_arm("ur5e", seed=SEED)
    drives = {f"joints.{joint.name}.drive": joint.drive for joint in arm.robot.joints}
    robot = jw.load_robot("ur5e").replace(drives, source="stated by the maker of the arm")
    twin = jw.Twin(plant=arm, seed=SEED)
    excitation = jw.plan("fourier", robot, duration=10.0, period=10.0, harmonics=5, starts=1)
    learned, unseen = (
        twin.run(motion, truth=False).recording for motion in (excitation, jw.plan("cycle", robot))
    )
    fit = jw.fit("robot", robot, learned, filter_hz=FILTER_HZ, torque="current")
    found = jw.validate(fit, unseen)[0]
    part = found.parts[0]
    kept = (part.time < part.time[0] + SECONDS).nonzero()[0][::STEP]
    time = part.time[kept] - part.time[0]
    figure = Figure(figsize=(9.6, 4.4), layout="constrained")
    for j, axis in enumerate(figure.subplots(2, 3).ravel()):
        measured, predicted = part.measured[kept, j], part.predicted[kept, j]
        axis.plot(time, measured, color=MEASURED, linewidth=3.5, label="measured")
        axis.plot(time, predicted, color=PREDICTED, linewidth=1.2, label="predicted")
        axis.plot(time, measured - predicted, color=LEFT, linewidth=0.8, label="difference")
        error = found.filtered[j].rmse_moving
        title = f"{found.joint_names[j].replace('_', ' ')}: {error:.2g} N m"
        axis.set_title(title, loc="left", fontweight="bold", fontsize=9)
        axis.locator_params(nbins=4)
        if j % 3 == 0:
            axis.set_ylabel("motor torque (N m)")
        if j >= 3:
            axis.set_xlabel("time (s)")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3, frameon=False)
    return figure
