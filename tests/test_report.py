"""The page of a fit: what its sentences say, what its figures show, and that nothing in it needs a network."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import jointwise as jw
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED, WEAK, Fit, Parameter
from jointwise.report import chart as charts
from jointwise.report.advice import advice
from jointwise.report.judgement import NOT_USABLE, USABLE, WITH_CARE, judge
from jointwise.report.marks import Cloud, Line
from jointwise.report.sections import curves, excitation, residual, torque
from jointwise.report.sections.remarks import score_rows
from jointwise.report.words import figure, own_unit, share_text
from jointwise.report.write import page_of, subject_of

ARM = jw.load_robot("two_link")
SLIDE = jw.load_robot("emps")


def parameter(name, verdict=IDENTIFIED, advice="", unit="N m [N]"):
    return Parameter(
        name=name, value=1.0, std=0.1, lower=0.8, upper=1.2, unit=unit, verdict=verdict, advice=advice
    )  # fmt: skip


def joint_fit(*parameters, experiment="load", scores=None, **more):
    given = {"joint": "elbow", "nrmse_percent": 99.0, "rmse": 0.5, **(scores or {})}
    return Fit(
        experiment=experiment,
        robot=ARM,
        status="converged",
        parameters=parameters,
        covariance=np.eye(len(parameters)),
        settings={"joint": "elbow"},
        joints=(given,),
        **more,
    )


# ---- a fit of an arm, on made-up recordings ---------------------------------------------------


def recorded(seed, coulomb=2.0):
    """Ten seconds of both joints; motor torque of links and friction, with noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 10.0, 0.01)
    waves = 2.0 * np.pi * np.array([[0.3, 0.5, 0.9], [0.4, 0.7, 1.1]])
    phase = rng.uniform(0.0, 6.0, (2, 3))
    angle = time[:, None, None] * waves + phase
    q = 0.4 * np.sin(angle).sum(axis=2)
    dq = 0.4 * (waves * np.cos(angle)).sum(axis=2)
    ddq = -0.4 * (waves**2 * np.sin(angle)).sum(axis=2)
    pull = ARM.inverse_dynamics(q, dq, ddq) + coulomb * np.sign(dq)
    columns = {"q": q, "motor_torque": pull + rng.normal(scale=0.02, size=pull.shape)}
    names = tuple(joint.name for joint in ARM.joints)
    return jw.Recording(robot=ARM.name, joint_names=names, time=time, columns=columns)


@pytest.fixture(scope="module")
def recordings():
    return {"first": recorded(1), "second": recorded(2)}


@pytest.fixture(scope="module")
def fit(recordings):
    return jw.fit("robot", ARM, recordings, filter_hz=6.0, friction=("coulomb",), delay=False)


@pytest.fixture(scope="module")
def subject(fit, recordings):
    return subject_of(fit, {**recordings, "other": recorded(3, coulomb=4.0)})


def panels_of(monkeypatch, room, section, subject):
    """The panels a section draws."""
    drawn = []

    def spy(panels, **options):
        drawn.extend(panels)
        return charts.chart(panels, **options)

    monkeypatch.setattr(room, "chart", spy)
    section(subject)
    return drawn


def test_the_page_needs_no_network_and_says_the_verdict_first(subject):
    page = page_of(subject)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "url(" not in page
    assert "<script" not in page
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles[:3] == [
        "What to do next",
        "Measured and predicted torque",
        "Errors by recording and joint",
    ]
    assert page.index('class="verdict') < page.index("<h2>")


def test_nothing_of_the_page_is_cut_off_where_it_is_narrow(subject):
    page = page_of(subject)
    for svg in re.finditer("<svg", page):
        assert page[: svg.start()].rstrip().endswith('<div class="wide">')


def test_names_of_joints_and_recordings_are_text_and_not_html(fit, recordings):
    page = page_of(subject_of(fit, {"<b>&name": recordings["first"]}))
    assert "<b>&name" not in page
    assert "&lt;b&gt;&amp;name" in page


def test_a_recording_with_other_friction_lowers_the_verdict(fit, subject):
    alone = judge(fit)
    assert alone.level == USABLE
    assert "on recordings the fit has not seen" in alone.sentence
    worse = subject.judgement
    assert all(b.error > 2.0 * a.error for a, b in zip(alone.joints, worse.joints, strict=True))
    assert worse.level != USABLE
    assert [j.joint for j in worse.joints] == ["shoulder", "elbow"]


def test_of_one_recording_parts_were_left_out_and_the_sentence_says_so(recordings):
    one = jw.fit(
        "robot", ARM, recordings["first"], filter_hz=6.0, friction=("coulomb",), delay=False
    )
    assert "on parts of its recording that were left out" in judge(one).sentence
    told = " ".join(advice(one, judge(one)))
    assert "1 recording cannot show" in told


def test_a_fit_that_did_not_converge_is_not_usable_whatever_its_errors(fit):
    judged = judge(replace(fit, status="ran out of rounds"))
    assert judged.level == NOT_USABLE
    assert "did not converge" in judged.sentence
    assert "did not settle" in advice(replace(fit, status="ran out of rounds"), judged)[0]


def test_the_residual_is_what_was_measured_less_what_was_predicted(monkeypatch, subject):
    measured, predicted = subject.samples("measured"), subject.samples("predicted")
    speed = subject.samples("speed")
    moves = np.abs(speed) > subject.moving
    panels = panels_of(monkeypatch, residual, residual.residual, subject)
    assert [p.x_label for p in panels[:3]] == [
        "speed (rad/s)",
        "load of the links (N m)",
        "position (rad)",
    ]
    cloud = next(m for m in panels[0].marks if isinstance(m, Cloud))
    assert np.array_equal(cloud.y, (measured - predicted)[moves[:, 0], 0])
    assert np.array_equal(cloud.x, speed[moves[:, 0], 0])
    assert {p.y_label for p in panels} == {"residual (N m)"}


def test_torque_is_drawn_measured_predicted_and_their_difference(monkeypatch, subject):
    panels = panels_of(monkeypatch, torque, torque.torque, subject)
    difference, measured, predicted = panels[0].marks
    gap = np.isnan(measured.y)
    assert np.allclose((measured.y - predicted.y)[~gap], difference.y[~gap])
    part = subject.scores[0].parts[0]
    worst = max(subject.scores, key=lambda one: torque.worst_share(one, subject))
    assert worst.name == "other"
    assert np.array_equal(measured.y[: len(part.time)], worst.parts[0].measured[:, 0])
    assert (panels[0].x_label, panels[0].y_label) == ("time (s)", "torque (N m)")


def test_excitation_counts_reversals_and_the_share_of_the_limits(monkeypatch, subject):
    panels = panels_of(monkeypatch, excitation, excitation.excitation, subject)
    assert [p.title for p in panels] == ["shoulder", "elbow"]
    assert panels[0].x_label == "speed (rad/s)"


# ---- experiments on one joint -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "level"),
    [
        ((IDENTIFIED, IDENTIFIED), USABLE),
        ((IDENTIFIED, WEAK), WITH_CARE),
        ((IDENTIFIED, HIDDEN), WITH_CARE),
        ((HIDDEN, HIDDEN), NOT_USABLE),
    ],
)
def test_an_experiment_is_as_good_as_what_it_tells(verdicts, level):
    fit = joint_fit(*(parameter(f"p{k}", verdict) for k, verdict in enumerate(verdicts)))
    assert judge(fit).level == level


def test_why_a_parameter_cannot_be_known_is_what_to_do_next():
    fit = joint_fit(
        parameter("slope", HIDDEN, "warm the joint up"),
        parameter("cube", HIDDEN, "warm the joint up"),
        parameter("limit", AT_BOUND, "the motion shows no more"),
        parameter("offset", WEAK, "record more"),
    )
    assert advice(fit, judge(fit)) == [
        "slope and cube cannot be known from these recordings: warm the joint up.",
        "limit is at the bound: the motion shows no more.",
        "Of 1 weak parameter use the interval, not the value.",
    ]


def test_springs_that_are_not_needed_are_no_reason_to_leave_a_term_out(fit):
    held = replace(
        fit,
        parameters=(parameter("memory_0.001_1", AT_BOUND), parameter("load1", AT_BOUND)),
        covariance=np.eye(2),
    )
    told = " ".join(advice(held, judge(held)))
    assert "load1 is at the bound" in told
    assert "memory" not in told


def test_scores_have_words_and_units_and_what_does_not_exist_is_left_out():
    scores = {"reversals": 23.0, "spread_degc": math.nan, "largest_load": 12.5}
    rows = dict(score_rows(joint_fit(scores=scores)))
    assert rows == {
        "fit, 100 % is perfect": "99.00 %",
        "RMS error": "0.5000 N m",
        "reversals": "23",
        "largest load": "12.50 N m",
    }
    assert dict(score_rows(joint_fit(experiment="transmission")))["RMS error"] == "0.5000 rad"


def test_the_error_of_a_gear_is_not_drawn_where_nothing_was_seen():
    seen = np.array([1.0, 2.0, np.nan])
    arrays = {
        "angle": np.arange(3.0),
        "error_table": seen,
        "error_fitted": np.full(3, 1e-3),
        "half_backlash": seen,
    }
    fit = joint_fit(parameter("mean"), experiment="kinematic-error", arrays=arrays)
    panels, _ = curves.FIGURES["kinematic-error"](fit, "N m")
    line = next(m for m in panels[0].marks if isinstance(m, Line))
    assert np.array_equal(np.isnan(line.y), [False, False, True])


# ---- words ------------------------------------------------------------------------------------


def test_units_are_those_the_arm_has():
    assert own_unit(ARM, "N m s/rad [N s/m]") == "N m s/rad"
    assert own_unit(SLIDE, "N m s/rad [N s/m]") == "N s/m"
    assert own_unit(ARM, "kg") == own_unit(SLIDE, "kg") == "kg"
    joints = (*ARM.joints[:1], SLIDE.joints[0])
    assert own_unit(replace(ARM, joints=joints), "N m [N]") == "N m [N]"


@pytest.mark.parametrize(
    ("share", "text"), [(0.064, "6.4 %"), (1.847, "185 %"), (math.nan, "an unknown share")]
)
def test_shares_are_percent_without_exponents(share, text):
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (12345.6, "12346"),
        (0.00123, "0.00123"),
        (1.5e-7, "1.50e-07"),
        (math.nan, "-"),
    ],
)
def test_numbers_have_three_digits_and_no_needless_exponent(value, text):
    assert figure(value) == text
