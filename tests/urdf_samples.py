"""URDF texts for tests: a good arm, and the pieces to build others from."""

BODY = """<inertial>
      <origin xyz="0.05 0.02 0.1" rpy="0.1 -0.2 0.3"/>
      <mass value="2.0"/>
      <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.025"/>
    </inertial>"""
LIMIT = '<limit lower="-2.0" upper="2.0" effort="50" velocity="3"/>'


def link(name: str, body: str = BODY) -> str:
    return f'  <link name="{name}">\n    {body}\n  </link>\n'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = LIMIT) -> str:
    return f"""  <joint name="{name}" type="{kind}">
    <origin xyz="0.1 0 0.3" rpy="0.2 0 1.57"/>
    <parent link="{parent}"/><child link="{child}"/>
    {"" if kind == "fixed" else '<axis xyz="0 0.6 0.8"/>'}
    {"" if kind == "fixed" else inside}
  </joint>
"""


def robot(*parts: str) -> str:
    return '<?xml version="1.0"?>\n<robot name="arm">\n' + "".join(parts) + "</robot>\n"


def chain(moving: int) -> str:
    parts = [link("l0", "")]
    for k in range(1, moving + 1):
        parts += [link(f"l{k}"), joint(f"j{k}", f"l{k - 1}", f"l{k}")]
    return robot(*parts)


ARM = robot(
    link("world", ""),
    link("base"),
    link("one"),
    link("cover"),
    link("two"),
    link("frame", ""),
    link("three"),
    link("hand"),
    link("tool0", ""),
    joint("fix", "world", "base", "fixed"),
    joint("a", "base", "one"),
    joint("screws", "one", "cover", "fixed"),
    joint("b", "cover", "two", "prismatic", LIMIT + '<dynamics damping="0.5" friction="1.5"/>'),
    joint("mark", "two", "frame", "fixed"),
    joint("c", "frame", "three", "continuous"),
    joint("glue", "three", "hand", "fixed"),
    joint("tip", "hand", "tool0", "fixed"),
)
"""Two fixed groups with several bodies, all kinds of joints, a flange."""

FINGERS = robot(
    link("base"),
    link("one"),
    link("left"),
    link("right"),
    joint("a", "base", "one"),
    joint("grip", "one", "left", "prismatic"),
    joint("follow", "one", "right", "prismatic", LIMIT + '<mimic joint="grip" multiplier="1"/>'),
)
"""An arm of one joint with a gripper of two fingers."""
