"""Arrays at the border: every method of a robot refuses what is not an array of its shape, and broadcasts the rest."""

import inspect

import numpy as np
import pytest

import jointwise as jw
from jointwise.errors import ShapeError
from jointwise.robot.description import Robot
from jointwise.robot.regressor import Accumulator

N = 2
STIFFNESS = (1e4, 5e3)
METHODS = {
    "pose": ("q",),
    "link_poses": ("q",),
    "jacobian": ("q",),
    "jacobian_derivative": ("q", "dq"),
    "inverse_dynamics": ("q", "dq", "ddq"),
    "forward_dynamics": ("q", "dq", "tau"),
    "mass_matrix": ("q",),
    "mass_matrix_derivative": ("q",),
    "coriolis_matrix": ("q", "dq"),
    "gravity_torque": ("q",),
    "energy": ("q", "dq"),
    "joint_torque_rates": ("q", "dq", "ddq", "d3q", "d4q"),
    "elastic_inverse_dynamics": ("q", "dq", "ddq", "d3q", "d4q"),
    "flexible_model": ("q", "dq", "dtheta"),
    "regressor": ("q", "dq", "ddq"),
}
EXTRA = {"elastic_inverse_dynamics": {"stiffness": STIFFNESS}}
BAD = {
    "one number": 0.5,
    "nothing": [],
    "too short": [0.1],
    "too long": [0.1, 0.2, 0.3],
    "a column": [[0.1], [0.2]],
    "samples last": np.zeros((2, 5)),
    "NaN": [0.1, np.nan],
    "infinity": [np.inf, 0.1],
    "minus infinity": np.array([[0.1, 0.2], [0.3, -np.inf]]),
    "text": "home",
    "texts": ["0.1", "0.2"],
    "None": None,
    "None in it": [0.1, None],
    "complex": [0.1, 1j],
    "ragged": [[0.1, 0.2], [0.3]],
    "booleans": [True, False],
    "unknown": [0.1, jw.UNKNOWN],
    "objects": np.array([object(), object()]),
    "dates": np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"),
    "dictionary": {"elbow": 0.1},
    "set": {0.1, 0.2},
    "integer too large": [10**400, 1],
}


@pytest.fixture(scope="module")
def robot() -> Robot:
    return jw.load_robot("two_link")


def call(robot: Robot, method: str, **changes):
    given = {name: np.full(N, 0.1) for name in METHODS[method]} | changes
    return getattr(robot, method)(**given, **EXTRA.get(method, {}))


def leading(result, robot: Robot, method: str) -> tuple[int, ...]:
    """Leading axes of the first array of a result, found by comparing with a single sample."""

    def first(value):
        while not isinstance(value, np.ndarray):
            parts = value if isinstance(value, tuple) else tuple(vars(value).values())
            value = next(p for p in parts if p is not None)
        return value

    single = first(call(robot, method))
    shape = first(result).shape
    return shape[: len(shape) - single.ndim]


def test_every_method_with_arrays_is_listed():
    found = {
        name
        for name, member in inspect.getmembers(Robot, inspect.isfunction)
        if not name.startswith("_") and "q" in inspect.signature(member).parameters
    }
    assert found == set(METHODS)


@pytest.mark.parametrize("content", BAD)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_array_of_this_shape_is_refused(robot, method, content):
    for name in METHODS[method]:
        with pytest.raises(ShapeError) as caught:
            call(robot, method, **{name: BAD[content]})
        message = str(caught.value)
        assert name in message.split()[0]
        assert "(..., 2)" in message
        assert message.isprintable()
        assert len(message) < 300


@pytest.mark.parametrize("method", METHODS)
def test_leading_axes_are_kept(robot, method):
    for shape in ((), (1,), (3,), (2, 3), (0,)):
        given = {name: np.full((*shape, N), 0.1) for name in METHODS[method]}
        assert leading(call(robot, method, **given), robot, method) == shape


@pytest.mark.parametrize("method", [m for m, names in METHODS.items() if len(names) > 1])
def test_leading_axes_are_broadcast(robot, method):
    names = METHODS[method]
    one = dict.fromkeys(names, np.full(N, 0.1))
    one[names[-1]] = np.full((4, 1, N), 0.1)
    one[names[0]] = np.full((3, N), 0.1)
    assert leading(call(robot, method, **one), robot, method) == (4, 3)


@pytest.mark.parametrize("method", [m for m, names in METHODS.items() if len(names) > 1])
def test_leading_axes_that_do_not_fit_are_refused(robot, method):
    names = METHODS[method]
    with pytest.raises(ShapeError, match=r"leading axes that fit each other before \(2,\)"):
        call(robot, method, **{names[0]: np.zeros((3, N)), names[-1]: np.zeros((4, N))})


@pytest.mark.parametrize(
    "kind", [list, tuple, np.float32, np.int64, "strided", "read only", "big endian"]
)
def test_any_kind_of_real_array_is_taken(robot, kind):
    q = np.array([[1.0, 2.0], [3.0, -1.0]])
    given = {
        list: q.tolist,
        tuple: lambda: tuple(map(tuple, q)),
        np.float32: lambda: q.astype(np.float32),
        np.int64: lambda: q.astype(np.int64),
        "strided": lambda: np.repeat(q, 2, axis=0)[::2],
        "read only": lambda: np.broadcast_to(q, (2, 2)),
        "big endian": lambda: q.astype(">f8"),
    }[kind]()
    np.testing.assert_array_equal(robot.gravity_torque(given), robot.gravity_torque(q))


def test_arguments_are_not_changed(robot):
    q, dq, ddq = np.random.default_rng(1).uniform(-1, 1, (3, 5, N))
    before = [a.copy() for a in (q, dq, ddq)]
    robot.inverse_dynamics(q, dq, ddq)
    robot.regressor(q, dq, ddq)
    for array, kept in zip((q, dq, ddq), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_an_accumulator_refuses_bad_samples_and_stays_as_it_was(robot):
    accumulator = Accumulator(robot)
    good = np.full((5, N), 0.1)
    accumulator.add(good, good, good, good)
    factor = accumulator.factor.copy()
    for bad in (np.full((5, N), np.nan), np.zeros((5, 3)), np.zeros((4, N)), "x", None):
        with pytest.raises(ShapeError):
            accumulator.add(good, good, good, bad)
    for weights in ([1.0, np.nan], [1.0, 2.0, 3.0], "x", None):
        with pytest.raises(jw.JointwiseError):
            accumulator.add(good, good, good, good, weights)
    np.testing.assert_array_equal(accumulator.factor, factor)
    assert accumulator.samples == 5


@pytest.mark.parametrize(
    "stiffness", [[1e4], [1e4, np.nan], [1e4, -1.0], "stiff", None, [1e4, 0.0]]
)
def test_a_stiffness_that_is_none_is_refused(robot, stiffness):
    q = np.zeros(N)
    with pytest.raises(jw.JointwiseError):
        robot.elastic_inverse_dynamics(q, q, q, q, q, stiffness=stiffness)


def test_an_unknown_friction_column_is_named(robot):
    q = np.zeros(N)
    with pytest.raises(jw.UnknownNameError, match="did you mean 'viscous'"):
        robot.regressor(q, q, q, friction=["viscos"])
