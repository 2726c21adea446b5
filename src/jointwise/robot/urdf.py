"""URDF: the serial arm in a URDF file, read with the standard library alone.

Links joined by fixed joints become one body, with full parallel-axis terms; frames without <inertial> count as empty
unless the whole body has none, which makes it unknown. Joints keep their names and come in order from root to tip.
The base frame is the root link's. The flange is the link `tool0` behind the last joint if there is one, else
`flange`, else the last joint's own link frame. Meshes and every other file a URDF names are never opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError, UnknownNameError, shown, shown_path
from jointwise.robot import urdf_parts, xml_tree
from jointwise.robot.description import MAX_JOINTS, Robot
from jointwise.robot.frames import Pose, Transform, rpy_of
from jointwise.robot.inertia import Body
from jointwise.robot.lumping import Lump, lumped, moved
from jointwise.robot.parts import Joint
from jointwise.robot.reading import read_text
from jointwise.robot.urdf_parts import MOVING, TYPES, built
from jointwise.robot.xml_tree import Element
from jointwise.units import UNKNOWN, Unknown

Array = NDArray[np.float64]

MAX_BYTES = 8 << 20
MAX_LINKS = 512
FLANGES = ("tool0", "flange")


@dataclass(frozen=True)
class Edge:
    """A joint of the URDF tree."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str

    @property
    def moves(self) -> bool:
        """True for a joint that turns or slides."""
        return self.kind in MOVING


@dataclass(frozen=True)
class Group:
    """Links fixed to each other: their poses in the frame of the first one, and the moving joints that leave them."""

    poses: dict[str, Array]
    leaving: list[Edge]


def load_urdf(path: Any, *, lock: Iterable[str] = ()) -> Robot:
    """The serial arm in a URDF file; joints named in `lock`, such as a gripper's fingers, are held at zero."""
    tree = xml_tree.parse(path, read_text(path, MAX_BYTES), urdf_parts.KINDS, "robot")
    name = urdf_parts.name_of(tree)
    links = _links(tree)
    edges = _edges(tree, links, frozenset([lock] if isinstance(lock, str) else lock))
    groups = _groups(tree, links, edges)
    bodies = {link: urdf_parts.inertial(element) for link, element in links.items()}
    moving = [group.leaving[0] for group in groups[:-1]]
    joints = tuple(
        _joint(edge, before, after, bodies)
        for edge, before, after in zip(moving, groups, groups[1:], strict=False)
    )
    last = groups[-1]
    flange = next((f for f in FLANGES if f in last.poses), None)
    note = f"URDF file {shown_path(getattr(path, 'name', str(path).rpartition('/')[2]))}"
    try:
        return Robot(
            name=name,
            joints=joints,
            flange=Pose() if flange is None else _pose(last.poses[flange]),
            sources=_sources(note, joints, flange),
        )
    except ParameterError as error:
        raise FileError(path, str(tree), str(error)) from None


def _sources(note: str, joints: tuple[Joint, ...], flange: str | None) -> dict[str, str]:
    sources = {
        "": note,
        "gravity": "assumed: base upright, 9.81 m/s^2; URDF does not state gravity",
        "flange": f"{note}, link {flange}" if flange else "assumed: the last link's frame",
        "tool": "assumed: the flange; URDF does not state a tool",
        "payload": "assumed: none; URDF does not state a payload",
    }
    for joint in joints:
        sources[f"joints.{joint.name}.drive"] = "not stated in URDF"
        sources[f"joints.{joint.name}.transmission"] = "not stated in URDF"
        if joint.friction is UNKNOWN:
            sources[f"joints.{joint.name}.friction"] = f"{note}: not stated, or zero"
    return sources


def _links(tree: Element) -> dict[str, Element]:
    links: dict[str, Element] = {}
    for element in tree.all("link"):
        name = urdf_parts.name_of(element)
        if name in links:
            raise element.wrong(
                f"link name {shown(name)} is already used at line {links[name].line}"
            )
        links[name] = element
    if not links:
        raise tree.wrong("has no <link>")
    if len(links) > MAX_LINKS:
        raise tree.wrong(f"has {len(links)} links, more than {MAX_LINKS}")
    return links


def _edges(tree: Element, links: dict[str, Element], lock: frozenset[str]) -> list[Edge]:
    edges: dict[str, Edge] = {}
    parents: dict[str, Edge] = {}
    for element in tree.all("joint"):
        edge = _edge(element, links, lock)
        if edge.name in edges:
            line = edges[edge.name].element.line
            raise element.wrong(f"joint name {shown(edge.name)} is already used at line {line}")
        if edge.child in parents:
            other = parents[edge.child].element
            raise element.wrong(
                f"makes {shown(edge.child)} a child a second time, after {other}; closed loops cannot be read"
            )
        edges[edge.name] = parents[edge.child] = edge
    for name in sorted(lock - edges.keys()):
        raise UnknownNameError("joint to lock", name, tuple(edges))
    return list(edges.values())


def _edge(element: Element, links: dict[str, Element], lock: frozenset[str]) -> Edge:
    name, kind = urdf_parts.name_of(element), element.text("type")
    if kind not in TYPES:
        known = "is not supported" if kind in ("floating", "planar") else "is unknown"
        raise element.wrong(f"type {shown(kind)} {known}; allowed: {', '.join(TYPES)}")
    ends = [element.needed(tag).text("link") for tag in ("parent", "child")]
    for tag, end in zip(("parent", "child"), ends, strict=True):
        if end not in links:
            raise element.needed(tag).wrong(f"of {element}: no link is named {shown(end)}")
    mimic = element.one("mimic")
    if name in lock:
        _check_zero_allowed(element, kind)
        kind = "fixed"
    elif mimic is not None:
        leader = shown(mimic.attributes.get("joint", "another joint"))
        raise mimic.wrong(
            f"{element} follows {leader}; joints that mimic others cannot be read",
            f"hold it still with load_urdf(..., lock=[{name!r}])",
        )
    return Edge(element, name, kind, ends[0], ends[1])


def _check_zero_allowed(element: Element, kind: str) -> None:
    limits = urdf_parts.limits(element, kind)
    low, high = limits.position_lower, limits.position_upper
    if not isinstance(low, Unknown) and not isinstance(high, Unknown) and not low <= 0.0 <= high:
        raise element.wrong(f"cannot be held at zero: its limits are {low:g} and {high:g}")


def _groups(tree: Element, links: dict[str, Element], edges: list[Edge]) -> list[Group]:
    """Groups from the root to the tip; exactly one moving joint leads from each to the next."""
    children: dict[str, list[Edge]] = {name: [] for name in links}
    for edge in edges:
        children[edge.parent].append(edge)
    roots = sorted(links.keys() - {edge.child for edge in edges})
    if not roots:
        raise tree.wrong("the joints form a loop: every link is the child of another")
    if len(roots) > 1:
        raise links[roots[1]].wrong(f"is a second root next to link {shown(roots[0])}")
    groups = [_group(roots[0], children)]
    while groups[-1].leaving:
        if len(groups[-1].leaving) > 1:
            raise _branch(groups[-1].leaving)
        if len(groups) > MAX_JOINTS:
            raise tree.wrong(f"has more than {MAX_JOINTS} moving joints")
        groups.append(_group(groups[-1].leaving[0].child, children))
    reached = {name for group in groups for name in group.poses}
    for name in sorted(links.keys() - reached):
        raise links[name].wrong("is part of a loop of joints and not connected to the root")
    if len(groups) == 1:
        raise tree.wrong("has no joint that moves")
    return groups


def _branch(leaving: list[Edge]) -> FileError:
    first, second = leaving[:2]
    return second.element.wrong(
        f"branches off where {first.element} moves too; only one serial chain can be read",
        f"hold one still with load_urdf(..., lock=[{second.name!r}])",
    )


def _group(first: str, children: dict[str, list[Edge]]) -> Group:
    poses, leaving, waiting = {first: np.eye(4)}, [], [first]
    while waiting:
        link = waiting.pop()
        for edge in children[link]:
            if edge.moves:
                leaving.append(edge)
            else:
                poses[edge.child] = poses[link] @ urdf_parts.pose(edge.element).matrix()
                waiting.append(edge.child)
    return Group(poses, leaving)


def _joint(edge: Edge, before: Group, after: Group, bodies: dict[str, Lump | None]) -> Joint:
    element = edge.element
    place = urdf_parts.pose(element)
    if next(iter(before.poses)) != edge.parent:
        place = _pose(before.poses[edge.parent] @ place.matrix())
    axis = urdf_parts.axis(element)
    lumps = [(bodies[link], pose) for link, pose in after.poses.items()]
    joint: Joint = built(
        element,
        Joint,
        name=edge.name,
        kind="prismatic" if edge.kind == "prismatic" else "revolute",
        frame=built(element, Transform, origin=place.origin, rpy=place.rpy, axis=axis),
        link=_body(element, [moved(lump, pose) for lump, pose in lumps if lump is not None]),
        limits=urdf_parts.limits(element, edge.kind),
        friction=urdf_parts.friction(element),
    )
    return joint


def _body(element: Element, lumps: list[Lump]) -> Body:
    body: Body = built(element, lumped, lumps=lumps)
    return body


def _pose(matrix: Array) -> Pose:
    x, y, z = (float(v) for v in matrix[:3, 3])
    roll, pitch, yaw = (float(v) for v in rpy_of(matrix[:3, :3]))
    return Pose(origin=(x, y, z), rpy=(roll, pitch, yaw))
