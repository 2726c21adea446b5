"""URDF files that are wrong or hostile: name -> (content, what the error must say)."""

from urdf_samples import ARM, BODY, FINGERS, LIMIT, chain, joint, link, robot

Cases = dict[str, tuple[bytes, list[str]]]


def edit(old: str, new: str, text: str = ARM) -> bytes:
    """A good text with the first occurrence of a piece replaced."""
    assert old in text
    return text.replace(old, new, 1).encode()


def one(body: str = BODY, inside: str = LIMIT, kind: str = "revolute") -> bytes:
    return robot(link("l0", ""), link("l1", body), joint("j1", "l0", "l1", kind, inside)).encode()


def mass(value: str) -> bytes:
    return one(BODY.replace('value="2.0"', f'value="{value}"'))


def tensor(**values: float | str) -> bytes:
    entries = {"ixx": 1, "ixy": 0, "ixz": 0, "iyy": 1, "iyz": 0, "izz": 1} | values
    listed = " ".join(f'{k}="{v}"' for k, v in entries.items())
    return one(f'<inertial><mass value="2"/><inertia {listed}/></inertial>')


def axis(xyz: str) -> bytes:
    return edit("0 0.6 0.8", xyz)


def limit(text: str) -> bytes:
    return one(inside=f"<limit {text}/>")


def dynamics(text: str) -> bytes:
    return one(inside=f"{LIMIT}<dynamics {text}/>")


VALUES: Cases = {
    "mass negative": (mass("-2.0"), ["<mass>", "'l1'", "-2.0", "line"]),
    "mass heavy": (mass("heavy"), ["<mass>", "'heavy'", "line"]),
    "mass with a comma": (mass("1,5"), ["<mass>", "'1,5'"]),
    "mass nan": (mass("nan"), ["<mass>", "'nan'"]),
    "mass inf": (mass("inf"), ["<mass>", "'inf'"]),
    "mass infinite by overflow": (mass("1e999"), ["<mass>", "'1e999'"]),
    "mass with an underscore": (mass("1_0"), ["<mass>", "'1_0'"]),
    "mass in other digits": (mass("\uff11"), ["<mass>", "\uff11"]),
    "mass in hexadecimal": (mass("0x10"), ["<mass>", "'0x10'"]),
    "mass empty": (mass(""), ["<mass>", "''"]),
    "mass of 5000 digits": (mass("9" * 5000), ["<mass>", "999"]),
    "mass of a planet": (mass("5.9e24"), ["<mass>", "5.9e+24", "1e+06"]),
    "mass without a value": (one("<inertial><mass/></inertial>"), ["<inertial>", "no <inertia>"]),
    "mass missing": (edit('<mass value="2.0"/>', ""), ["<inertial>", "no <mass>"]),
    "mass value missing": (edit('<mass value="2.0"/>', "<mass/>"), ["<mass>", "'value'"]),
    "mass zero with inertia": (mass("0"), ["<inertia>", "zero where the mass is zero"]),
    "inertia missing": (
        one('<inertial><mass value="1"/></inertial>'),
        ["<inertial>", "no <inertia>"],
    ),
    "inertia entry missing": (edit('ixy="0.001"', ""), ["<inertia>", "'ixy'"]),
    "inertia nan": (tensor(ixx="nan"), ["<inertia>", "ixx", "'nan'"]),
    "inertia text": (tensor(izz="big"), ["<inertia>", "izz", "'big'"]),
    "triangle inequality": (tensor(izz=2.1), ["<inertia>", "'l1'", "2.1", "triangle"]),
    "negative moment": (tensor(ixx=-1), ["<inertia>", "'l1'", "negative moments"]),
    "not positive by its products": (tensor(ixy=3), ["<inertia>", "negative moments"]),
    "misspelt inertial": (
        edit("<inertial>", "<inertail>").replace(b"</inertial>", b"</inertail>", 1),
        ["<inertail>", "<inertial>", "'base'"],
    ),
    "misplaced inertia": (one('<inertia ixx="1"/>'), ["<inertia>", "does not belong", "'l1'"]),
    "two inertials": (one(BODY + BODY), ["second <inertial>", "'l1'"]),
    "two masses": (edit("<mass", '<mass value="1"/><mass'), ["second <mass>", "line"]),
    "origin of two": (
        edit('xyz="0.05 0.02 0.1"', 'xyz="0.05 0.02"'),
        ["<origin>", "xyz", "three numbers"],
    ),
    "origin of four": (
        edit('xyz="0.05 0.02 0.1"', 'xyz="0 0 0 1"'),
        ["<origin>", "0 0 0 1", "three numbers"],
    ),
    "origin with commas": (edit('xyz="0.05 0.02 0.1"', 'xyz="0,0 0,1 2"'), ["<origin>", "'0,0'"]),
    "origin in millimetres": (
        edit('xyz="0.1 0 0.3"', 'xyz="400 0 0"'),
        ["<origin>", "400.0", "100 m"],
    ),
    "origin nan": (edit('rpy="0.2 0 1.57"', 'rpy="0.2 nan 1.57"'), ["<origin>", "rpy", "'nan'"]),
    "origin as quaternion": (
        edit('rpy="0.2 0 1.57"', 'quat_xyzw="0 0 0 1"'),
        ["<origin>", "quat_xyzw"],
    ),
    "origin attribute misspelt": (
        edit('rpy="0.2 0 1.57"', 'ryp="0.2 0 1.57"'),
        ["<origin>", "'ryp'", "rpy"],
    ),
    "axis zero": (axis("0 0 0"), ["<axis>", "'a'", "0 0 0"]),
    "axis tiny": (axis("0 0 1e-9"), ["<axis>", "1e-9"]),
    "axis nan": (axis("0 nan 0"), ["<axis>", "'nan'"]),
    "axis text": (axis("z"), ["<axis>", "'z'", "three numbers"]),
    "axis without xyz": (edit('xyz="0 0.6 0.8"', ""), ["<axis>", "'xyz'"]),
    "axis huge": (axis("1e300 1e300 1e300"), ["<axis>", "1e300"]),
    "limits swapped": (
        limit('lower="2" upper="-2" effort="5" velocity="1"'),
        ["<limit>", "2.0", "-2"],
    ),
    "limits equal": (
        limit('lower="1" upper="1" effort="5" velocity="1"'),
        ["<limit>", "1.0", "below"],
    ),
    "limits zero but effort": (
        limit('lower="0" upper="0" effort="5" velocity="1"'),
        ["<limit>", "0.0"],
    ),
    "limit nan": (
        limit('lower="nan" upper="1" effort="5" velocity="1"'),
        ["<limit>", "lower", "'nan'"],
    ),
    "limit text": (limit('lower="-pi" upper="1" effort="5" velocity="1"'), ["<limit>", "'-pi'"]),
    "effort negative": (
        limit('lower="-1" upper="1" effort="-5" velocity="1"'),
        ["<limit>", "torque", "-5.0"],
    ),
    "velocity negative": (
        limit('lower="-1" upper="1" effort="5" velocity="-1"'),
        ["<limit>", "velocity", "-1.0"],
    ),
    "limit misspelt": (
        limit('lover="-1" upper="1" effort="5" velocity="1"'),
        ["<limit>", "'lover'", "lower"],
    ),
    "limits for limit": (one(inside="<limits/>"), ["<limits>", "<limit>", "'j1'"]),
    "two limits": (one(inside=LIMIT + LIMIT), ["second <limit>", "'j1'"]),
    "damping negative": (dynamics('damping="-1"'), ["<dynamics>", "'j1'", "damping", "-1"]),
    "friction text": (dynamics('friction="little"'), ["<dynamics>", "friction", "'little'"]),
}

TREE: Cases = {
    "no links": (robot().encode(), ["<robot 'arm'>", "no <link>"]),
    "no joints": (robot(link("l0")).encode(), ["no joint that moves"]),
    "nothing moves": (one(kind="fixed"), ["no joint that moves"]),
    "two roots": (
        edit(joint("fix", "world", "base", "fixed"), ""),
        ["'world'", "second root", "'base'"],
    ),
    "loop without a root": (
        robot(link("a"), link("b"), joint("x", "a", "b"), joint("y", "b", "a")).encode(),
        ["loop"],
    ),
    "loop beside the root": (
        robot(
            link("r"),
            link("s"),
            link("a"),
            link("b"),
            joint("m", "r", "s"),
            joint("x", "a", "b"),
            joint("y", "b", "a"),
        ).encode(),
        ["'a'", "loop"],
    ),
    "closed chain": (
        robot(
            link("a"),
            link("b"),
            link("c"),
            joint("x", "a", "b"),
            joint("y", "b", "c"),
            joint("z", "a", "c"),
        ).encode(),
        ["'z'", "'c'", "'y'", "closed loops"],
    ),
    "its own parent": (robot(link("a"), joint("x", "a", "a")).encode(), ["loop"]),
    "parent that is not there": (
        edit('<parent link="base"/>', '<parent link="bse"/>'),
        ["<parent>", "'a'", "'bse'"],
    ),
    "child that is not there": (
        edit('<child link="one"/>', '<child link=""/>'),
        ["<child>", "'a'", "''"],
    ),
    "no parent": (edit('<parent link="base"/>', ""), ["<joint 'a'>", "no <parent>"]),
    "no child": (edit('<child link="one"/>', ""), ["<joint 'a'>", "no <child>"]),
    "two parents in one joint": (
        edit('<parent link="base"/>', '<parent link="base"/><parent link="one"/>'),
        ["second <parent>", "'a'"],
    ),
    "parent without a link": (edit('<parent link="base"/>', "<parent/>"), ["<parent>", "'link'"]),
    "branch": (
        FINGERS.replace('<mimic joint="grip" multiplier="1"/>', "").encode(),
        ["'follow'", "'grip'", "lock"],
    ),
    "mimic": (FINGERS.encode(), ["<mimic>", "'follow'", "'grip'", "lock"]),
    "floating": (
        edit('type="revolute"', 'type="floating"'),
        ["'a'", "'floating'", "not supported"],
    ),
    "planar": (edit('type="revolute"', 'type="planar"'), ["'a'", "'planar'", "not supported"]),
    "unknown type": (edit('type="revolute"', 'type="hinge"'), ["'a'", "'hinge'", "revolute"]),
    "type in capitals": (edit('type="revolute"', 'type="Revolute"'), ["'a'", "'Revolute'"]),
    "no type": (edit('type="revolute"', ""), ["<joint 'a'>", "'type'"]),
    "link twice": (
        edit('<link name="cover">', '<link name="one">'),
        ["<link 'one'>", "already used", "line"],
    ),
    "joint twice": (
        edit('<joint name="b"', '<joint name="a"'),
        ["<joint 'a'>", "already used", "line"],
    ),
    "link without a name": (edit('<link name="cover">', "<link>"), ["<link>", "'name'", "line"]),
    "joint without a name": (edit('<joint name="b"', "<joint"), ["<joint>", "'name'", "line"]),
    "robot without a name": (edit('<robot name="arm">', "<robot>"), ["<robot>", "'name'"]),
    "robot name empty": (edit('<robot name="arm">', '<robot name="">'), ["<robot", "''"]),
    "joint name with a dot": (
        edit('<joint name="a"', '<joint name="a.b"'),
        ["<joint 'a.b'>", "dots"],
    ),
    "joint name with a line break": (
        edit('<joint name="a"', '<joint name="a&#10;b"'),
        ["<joint", "printable"],
    ),
    "joint name too long": (
        edit('<joint name="a"', f'<joint name="{"a" * 200}"'),
        ["<joint", "128"],
    ),
    "joint name backwards": (
        edit('<joint name="a"', '<joint name="&#x202e;a"'),
        ["<joint", "printable"],
    ),
    "link name of 60 kB": (
        edit('<link name="one"', f'<link name="{"o" * 60_000}"'),
        ["<link", "128"],
    ),
    "65 joints": (chain(65).encode(), ["more than 64 moving joints"]),
    "misspelt joint": (
        edit('<joint name="a"', '<joitn name="a"').replace(
            b'</joint>\n  <joint name="screws', b'</joitn>\n  <joint name="screws'
        ),
        ["<joitn 'a'>", "<joint>"],
    ),
    "misspelt link": (
        edit('<link name="world">', '<links name="world">').replace(b"</link>", b"</links>", 1),
        ["<links 'world'>", "<link>"],
    ),
    "joint in a joint": (
        edit('<parent link="base"/>', '<joint name="q"/><parent link="base"/>'),
        ["<joint 'q'>", "does not belong", "'a'"],
    ),
}

ENTITIES = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))

TEXT: Cases = {
    "empty": (b"", ["not well-formed"]),
    "not xml": (b"robot: arm\n", ["not well-formed", "line 1"]),
    "another root": (b"<sdf version='1.6'/>", ["<sdf>", "<robot>"]),
    "cut in the middle": (ARM[: len(ARM) // 2].encode(), ["cut short", "line"]),
    "cut before its end": (ARM.replace("</robot>", "").encode(), ["cut short"]),
    "two roots of xml": ((ARM + "<robot/>").encode(), ["not well-formed"]),
    "wrong nesting": (edit("</link>", "</joint>"), ["not well-formed", "line"]),
    "attribute twice": (
        edit('<link name="world"', '<link name="a" name="world"'),
        ["duplicate attribute", "line"],
    ),
    "undefined entity": (edit("<link", "&lol;<link"), ["not well-formed", "undefined entity"]),
    "entity bomb": (
        f'<!DOCTYPE robot [<!ENTITY e0 "ha">{ENTITIES}]><robot name="&e9;"/>'.encode(),
        ["<!DOCTYPE", "refused", "line 1"],
    ),
    "external entity": (
        b'<!DOCTYPE robot [<!ENTITY x SYSTEM "hostname">]><robot name="&x;"/>',
        ["<!DOCTYPE", "refused"],
    ),
    "external document type": (
        b'<?xml version="1.0"?>\n<!DOCTYPE robot SYSTEM "http://localhost/robot.dtd">\n<robot/>',
        ["<!DOCTYPE", "line 2"],
    ),
    "parameter entity": (
        b'<!doctype robot [<!ENTITY % x SYSTEM "x.dtd"> %x;]><robot/>',
        ["<!doctype", "refused"],
    ),
    "entity in utf-16": (
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE robot [<!ENTITY x "y">]><robot/>'.encode(
            "utf-16"
        ),
        ["not UTF-8", "byte 0"],
    ),
    "macros": (
        b'<robot name="a" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="../x"/></robot>',
        ["<xacro:include>", "macro", "expand"],
    ),
    "macro values": (one(BODY.replace("2.0", "${mass}")), ["<mass>", "${mass}"]),
    "binary": (bytes(range(256)) * 40, ["not UTF-8"]),
    "zero bytes": (b"\0" * 1000, ["not well-formed"]),
    "stl": (b"solid x\nfacet normal 0 0 1\n", ["not well-formed"]),
    **{
        f"mesh {name}": (
            edit(
                "<inertial>",
                f'<visual><geometry><mesh filename="{path}"/></geometry></visual><inertial>',
            ),
            ["<mesh>", "filename", repr(path), "'..'"],
        )
        for name, path in {
            "above its folder": "../../etc/passwd",
            "out of its package": "package://arm/../../x.stl",
            "with backslashes": "..\\x.stl",
            "behind percent signs": "meshes/%2e%2E/x.stl",
            "ending above": "meshes/..",
        }.items()
    },
    "mesh of a wrong arm": (
        edit(
            "<inertial>",
            '<visual><geometry><mesh filename="x.stl"/></geometry></visual><inertial>',
            ARM.replace('"2.0"', '"-2"'),
        ),
        ["<mass>", "-2"],
    ),
}


def many(count: int) -> str:
    return " ".join(f'a{k}="1"' for k in range(count))


HEAVY: Cases = {
    "5,000 links": (chain(5000).encode(), ["5001 links", "512"]),
    "513 links": (chain(512).encode(), ["513 links", "512"]),
    "512 fixed links and 65 joints": (chain(511).encode(), ["more than 64 moving joints"]),
    "200,000 attributes": (edit("<link", f"<link {many(200_000)}"), ["200001 attributes", "256"]),
    "257 attributes in a mesh": (edit("<link", f"<visual {many(257)}/><link"), ["257 attributes"]),
    "deep nesting": (edit("<link", "<a>" * 100_000 + "<link"), ["nested more than 64"]),
    "deep nesting, closed": (
        edit("<link", "<a>" * 64 + "</a>" * 64 + "<link"),
        ["<a>", "nested more than 64"],
    ),
    "attribute of 8 MB": (edit('name="arm"', f'name="{"x" * 8_000_000}"'), ["'name'", "65536"]),
    "attribute name of 8 MB": (
        edit("<link", f'<link {"x" * 8_000_000}="1"'),
        ["attribute", "65536"],
    ),
    "element name of 8 MB": (b"<" + b"x" * 8_000_000 + b"/>", ["<xxx", "<robot>"]),
    "too large": (b"<robot>" + b" " * (8 << 20), ["8388615 bytes", "8388608"]),
    "8 MB of comments": (
        edit("<link", "<!--" + "-x" * 4_000_000 + "--><link", chain(65)),
        ["64 moving"],
    ),
    "8 MB of comments opened": (b"<robot>" + b"<!--" * 2_000_000, ["not well-formed"]),
    "2 million elements": (b"<robot name='a'>" + b"<a/>" * 2_000_000, ["100000 elements"]),
    "100,000 joints": (b"<robot name='a'>" + b"<joint/>" * 99_990 + b"</robot>", ["no <link>"]),
    "500,000 links": (b"<robot name='a'>" + b"<link/>" * 500_000, ["100000 elements"]),
    "8 MB of text": (edit("<link", "x" * 8_000_000 + "<link", chain(65)), ["64 moving"]),
    "8 MB of references": (edit("<link", "&amp;" * 1_600_000 + "<link", chain(65)), ["64 moving"]),
    "8 MB of open brackets": (b"<" * 8_000_000, ["not well-formed"]),
    "number of 60 kB": (mass("1" * 60_000), ["<mass>", "1111"]),
    "number of dots": (mass("1." * 30_000), ["<mass>", "1.1."]),
    "vector of 30,000": (axis("0 " * 30_000), ["<axis>", "three numbers"]),
}
