"""Every wrong or hostile file gets one clear error of the family, in bounded time and memory."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hostile_robot_files
import hostile_urdfs
import jointwise as jw
from jointwise.errors import UnitError
from jointwise.robot import file, toml_text
from urdf_samples import ARM

SECONDS = 2.0
MEGABYTES = 200.0

CASES = {
    f"{name}{ending}": case
    for ending, groups in (
        (
            ".toml",
            (
                hostile_robot_files.VALUES,
                hostile_robot_files.STRUCTURE,
                hostile_robot_files.CAPSULES,
                hostile_robot_files.TEXT,
                hostile_robot_files.HEAVY,
            ),
        ),
        (
            ".urdf",
            (
                hostile_urdfs.VALUES,
                hostile_urdfs.TREE,
                hostile_urdfs.TEXT,
                hostile_urdfs.HEAVY,
            ),
        ),
    )
    for group in groups
    for name, case in group.items()
}


def check_message(error: jw.JointwiseError, path: Path, fragments: list[str]) -> None:
    message = str(error)
    assert path.name in message or isinstance(error, jw.UnknownNameError), message
    assert [f for f in fragments if f not in message] == [], message
    assert message.isprintable()
    assert len(message) < 500


def test_there_are_enough_of_them():
    assert len(CASES) >= 80


@pytest.mark.parametrize("name", CASES)
def test_a_bad_file_is_refused_with_element_and_value(name, tmp_path):
    content, fragments = CASES[name]
    path = tmp_path / f"bad{name[-5:]}"
    path.write_bytes(content)
    with pytest.raises(jw.JointwiseError) as caught:
        jw.load_robot(path)
    assert isinstance(caught.value, (jw.FileError, UnitError))
    check_message(caught.value, path, fragments)


def test_the_good_files_are_good(tmp_path):
    """What the bad ones are made from; otherwise they might be refused for another reason."""
    (tmp_path / "good.toml").write_text(hostile_robot_files.GOOD)
    (tmp_path / "good.urdf").write_text(ARM)
    assert jw.load_robot(tmp_path / "good.toml") == jw.load_robot("two_link")
    assert jw.load_robot(tmp_path / "good.urdf").n == 3


# ---- time and memory, measured in a process of its own ---------------------------------------

MEASURE = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import jointwise as jw
jw.load_robot
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
def reset():
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")
for path in sys.argv[1:]:
    reset()
    start = time.process_time()
    try:
        jw.load_robot(path)
        kind = "accepted"
    except jw.JointwiseError:
        kind = "refused"
    print(json.dumps([path, kind, time.process_time() - start, peak()]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from Linux' process table")
def test_every_file_is_refused_within_two_seconds_and_200_megabytes(tmp_path):
    paths = []
    for number, (name, (content, _)) in enumerate(CASES.items()):
        paths.append(tmp_path / f"{number}{name[-5:]}")
        paths[-1].write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=SECONDS * len(paths),
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row[1] for row in rows] == ["refused"] * len(CASES)
    over = [
        (name, round(seconds, 2), round(megabytes))
        for name, (_, _, seconds, megabytes) in zip(CASES, rows, strict=True)
        if seconds > SECONDS or megabytes > MEGABYTES
    ]
    assert over == []


# ---- what is not a file ---------------------------------------------------------------------


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.getcwd()
        os.chdir(path.parent)  # addresses of sockets are short
        try:
            listener.bind(path.name)
        finally:
            os.chdir(folder)


NOT_FILES = {
    "directory": (lambda path: path.mkdir(), "is a directory"),
    "pipe": (make_pipe, "is a pipe, socket or device"),
    "socket": (make_socket, "is a pipe, socket or device"),
    "endless device": (lambda path: path.symlink_to("/dev/zero"), "is a pipe, socket or device"),
    "link to itself": (lambda path: path.symlink_to(path.name), "cannot be read"),
    "link to nothing": (lambda path: path.symlink_to("nothing"), "No such file"),
    "nothing": (lambda path: None, "No such file"),
}


@pytest.mark.parametrize("ending", [".toml", ".urdf", ".xml"])
@pytest.mark.parametrize("kind", NOT_FILES)
def test_what_is_not_a_regular_file_is_not_opened(kind, ending, tmp_path):
    make, fragment = NOT_FILES[kind]
    path = tmp_path / f"arm{ending}"
    make(path)
    with pytest.raises(jw.FileError, match=fragment) as caught:
        jw.load_robot(path)
    check_message(caught.value, path, [fragment])


@pytest.mark.parametrize(
    "name", ["a\nb.toml", "\x1b[2J.urdf", "\u202ebad.toml", "x" * 5000 + ".toml"]
)
def test_hostile_names_of_files_are_shown_harmlessly(name, tmp_path):
    with pytest.raises(jw.FileError) as caught:
        jw.load_robot(tmp_path / name)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_a_hostile_name_of_a_good_file_does_no_harm(tmp_path):
    path = tmp_path / "<script>\n\x1b[2J.urdf"
    path.write_text(ARM)
    robot = jw.load_robot(path)
    assert robot.sources[""].isprintable()
    robot.save(tmp_path / "arm.toml")
    assert jw.load_robot(tmp_path / "arm.toml") == robot


# ---- mutations ------------------------------------------------------------------------------

TOKENS = {
    ".toml": re.findall(r"\[+[\w.]+\]+|[\w.+-]+|\s+|.", hostile_robot_files.GOOD),
    ".urdf": re.findall(r"</?\w+|[\w.+-]+|\s+|.", ARM),
}
SPITE = [
    "", "nan", "-1", "0", "1e400", "inf", "[]", "{}", '"', "'", "=", "<", ">", "/>", "<!--", "]]>", "\n", "unknown",
    "true", "1979-05-27", "[[joints]]", "[units]", "0x" + "f" * 5000, "9" * 5000, "\u202e", "\0", "&amp;", "fixed",
    '<limit lower="0"/>', "<link", "</link>", "</robot>", "joint", "one", "elbow", ".", "a.b.c", "\ud7ff",
]  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["drop", "repeat", "swap", "alter", "insert", "cut"]),
        st.floats(0.0, 1.0, exclude_max=True),
        st.floats(0.0, 1.0, exclude_max=True),
        st.sampled_from(SPITE),
    ),
    min_size=1,
    max_size=4,
)


def mutated(tokens: list[str], edits) -> str:
    tokens = list(tokens)
    for action, where, other, text in edits:
        if not tokens:
            break
        i, j = int(where * len(tokens)), int(other * len(tokens))
        if action == "drop":
            del tokens[i]
        elif action == "repeat":
            tokens[i:i] = tokens[i : i + 1 + int(other * 40)]
        elif action == "swap":
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif action == "alter":
            tokens[i] = text
        elif action == "insert":
            tokens.insert(i, text)
        elif where > 0.5:
            del tokens[i:]
    return "".join(tokens)


def decided(ending: str, edits, folder: Path) -> None:
    """Either a sound robot or an error of the family."""
    path = folder / f"mutant{ending}"
    path.write_text(mutated(TOKENS[ending], edits))
    robot, message = None, ""
    try:
        robot = jw.load_robot(path)
    except jw.JointwiseError as error:
        message = str(error)
    assert message.isprintable()
    if robot is None:
        return
    text = toml_text.text_of(file.to_dict(robot))
    assert file.from_dict(toml_text.parse(text), "text") == robot
    if not any(".link." in path or "payload" in path for path in robot.unknown()):
        assert (abs(robot.parameters()) < 1e300).all()


@pytest.mark.parametrize("ending", TOKENS)
def test_mutations_are_read_or_refused(ending, tmp_path):
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(EDITS)
    def run(edits):
        decided(ending, edits, tmp_path)

    run()


@pytest.mark.soak
@pytest.mark.parametrize("ending", TOKENS)
def test_many_mutations_are_read_or_refused(ending, tmp_path):
    @settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
    @given(EDITS)
    def run(edits):
        decided(ending, edits, tmp_path)

    run()


@pytest.mark.parametrize("ending", TOKENS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_noise_is_refused(ending, data, tmp_path):
    path = tmp_path / f"noise{ending}"
    path.write_bytes(data.draw(st.binary(max_size=300)))
    with pytest.raises(jw.FileError):
        jw.load_robot(path)
