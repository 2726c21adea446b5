"""Robot files that are wrong or hostile: name -> (content, what the error must say)."""

import jointwise as jw
from jointwise.robot import toml_text
from jointwise.robot.file import MAX_BYTES, to_dict

GOOD = toml_text.text_of(to_dict(jw.load_robot("two_link")))
ELBOW = GOOD.index('name = "elbow"')

Cases = dict[str, tuple[bytes, list[str]]]


def edit(old: str, new: str, after: int = 0) -> bytes:
    """The good file with one piece, found after a place, replaced by another."""
    place = GOOD.index(old, after)
    return (GOOD[:place] + new + GOOD[place + len(old) :]).encode()


def elbow(old: str, new: str) -> bytes:
    """The same, in the joint called elbow."""
    return edit(old, new, ELBOW)


def mass(value: str) -> bytes:
    return elbow("mass = 3.0", f"mass = {value}")


MASS = "joints.elbow.link.mass"
INERTIA = "inertia = [0.0, 0.0, 0.0, 0.0625, 0.0, 0.0625]"
CENTER = "center_of_mass = [0.25, 0.0, 0.0]"
LOWER = "position_lower = -3.141592653589793"
FRAME = 'convention = "modified_dh"'
GRAVITY = "gravity = [0.0, 0.0, -9.81]"
FRICTION = '[joints.friction]\nname = "coulomb + viscous"'
JOINT = '[[joints]]\nname = "j{}"\n[joints.frame]\nconvention = "standard_dh"\n'
HEAD = GOOD[: GOOD.index("[[joints]]")]
NO_PAYLOAD = GOOD.split("[payload]")[0] + GOOD[GOOD.index("[[joints]]") :]
NO_DESCRIPTION = 'description = "'

VALUES: Cases = {
    "mass negative": (mass("-3.0"), [MASS, "-3.0", "kg"]),
    "mass heavy": (mass('"heavy"'), [MASS, "'heavy'", "a number"]),
    "mass with a comma": (mass('"1,5"'), [MASS, "'1,5'", "a number"]),
    "mass nan": (mass("nan"), [MASS, "nan"]),
    "mass inf": (mass("inf"), [MASS, "inf"]),
    "mass overflow": (mass("1e400"), [MASS, "inf"]),
    "mass true": (mass("true"), [MASS, "True"]),
    "mass list": (mass("[3.0]"), [MASS, "3.0"]),
    "mass table": (mass("{ kg = 3.0 }"), [MASS, "kg"]),
    "mass date": (mass("1979-05-27"), [MASS, "1979"]),
    "mass of a planet": (mass("5.9e24"), [MASS, "5.9e+24", "1e+06"]),
    "mass zero with inertia": (mass("0.0"), ["joints.elbow.link.inertia", "zero"]),
    "mass huge integer": (mass("1" + "0" * 400), [MASS, "1000000000"]),
    "mass unprintable integer": (mass("0x" + "f" * 9000), [MASS, "int too long to show"]),
    "mass integer of 5000 digits": (mass("9" * 5000), ["digits"]),
    "triangle inequality": (
        elbow(INERTIA, "inertia = [1.0, 0.0, 0.0, 1.0, 0.0, 2.1]"),
        ["joints.elbow.link.inertia", "2.1", "triangle"],
    ),
    "negative moment": (
        elbow(INERTIA, "inertia = [1.0, 2.0, 0.0, 1.0, 0.0, 2.0]"),
        ["joints.elbow.link.inertia", "without negative moments"],
    ),
    "inertia of five": (
        elbow(INERTIA, "inertia = [0.0, 0.0, 0.0, 0.1, 0.1]"),
        ["joints.elbow.link.inertia", "6 numbers"],
    ),
    "inertia as a matrix": (
        elbow(INERTIA, "inertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"),
        ["joints.elbow.link.inertia", "6 numbers"],
    ),
    "inertia text": (
        elbow(INERTIA, 'inertia = "123456"'),
        ["joints.elbow.link.inertia", "'1'"],
    ),
    "center nan": (
        elbow(CENTER, "center_of_mass = [0.25, nan, 0.0]"),
        ["joints.elbow.link.center_of_mass[1]", "nan"],
    ),
    "center of two": (
        elbow(CENTER, "center_of_mass = [0.25, 0.0]"),
        ["joints.elbow.link.center_of_mass", "3 numbers"],
    ),
    "center in millimetres": (
        elbow(CENTER, "center_of_mass = [250.0, 0.0, 0.0]"),
        ["joints.elbow.link.center_of_mass[0]", "250.0", "100 m"],
    ),
    "gravity text": (edit(GRAVITY, 'gravity = "down"'), ["gravity", "down"]),
    "gravity unknown": (edit(GRAVITY, 'gravity = "unknown"'), ["gravity", "unknown"]),
    "gravity of a star": (edit(GRAVITY, "gravity = [0, 0, -274]"), ["gravity[2]", "-274"]),
    "limits swapped": (
        elbow(LOWER, "position_lower = 4.0"),
        ["joints.elbow.limits.position_lower", "4.0", "3.14159"],
    ),
    "limit nan": (elbow(LOWER, "position_lower = nan"), ["elbow.limits.position_lower", "nan"]),
    "limit in degrees as text": (
        elbow(LOWER, 'position_lower = "-180 deg"'),
        ["joints.elbow.limits.position_lower", "-180 deg"],
    ),
    "velocity negative": (
        elbow("velocity = 4.0", "velocity = -4.0"),
        ["joints.elbow.limits.velocity", "-4.0", "above 0"],
    ),
    "torque infinite": (elbow("torque = 40.0", "torque = inf"), ["elbow.limits.torque", "inf"]),
    "gear ratio zero": (
        elbow("gear_ratio = 100.0", "gear_ratio = 0"),
        ["joints.elbow.drive.gear_ratio", "0", "not zero"],
    ),
    "gear ratio as a fraction": (
        elbow("gear_ratio = 100.0", 'gear_ratio = "757/3"'),
        ["joints.elbow.drive.gear_ratio", "757/3"],
    ),
    "rotor inertia negative": (
        elbow("rotor_inertia = 0.25", "rotor_inertia = -0.25"),
        ["joints.elbow.drive.rotor_inertia", "-0.25"],
    ),
    "law parameter text": (
        elbow('"coulomb.coulomb" = 1.0', '"coulomb.coulomb" = "1"'),
        ["coulomb + viscous.coulomb.coulomb", "'1'"],
    ),
    "law parameter nan": (
        elbow('"coulomb.coulomb" = 1.0', '"coulomb.coulomb" = nan'),
        ["coulomb + viscous.coulomb.coulomb", "nan"],
    ),
    "law parameter nested": (
        elbow('"coulomb.coulomb" = 1.0', '"coulomb.coulomb" = [1.0, [2.0]]'),
        ["coulomb + viscous.coulomb.coulomb", "2.0"],
    ),
    "law name number": (
        elbow('name = "coulomb + viscous"', "name = 5"),
        ["joints.elbow.friction", "5", "printable text"],
    ),
}

CAPSULE = "[[joints.capsules]]\nstart = [0, 0, 0]\nend = [0.5, 0, 0]\nradius = 0.05\n"


def capsule(old: str, new: str) -> bytes:
    """The good file with one capsule on the elbow, and a piece of that replaced."""
    before = GOOD.index("[sources]")
    return (GOOD[:before] + CAPSULE.replace(old, new) + GOOD[before:]).encode()


ON_ELBOW = "joints.elbow.capsules 1"
CAPSULES: Cases = {
    "capsule without radius": (capsule("radius = 0.05\n", ""), [ON_ELBOW, "radius", "missing"]),
    "capsule of no size": (capsule("0.05", "0"), [f"{ON_ELBOW}.radius", "above 0"]),
    "capsule inside out": (capsule("0.05", "-0.05"), [f"{ON_ELBOW}.radius", "-0.05"]),
    "capsule nan": (capsule("0.5,", "nan,"), [f"{ON_ELBOW}.end[0]", "nan"]),
    "capsule endless": (capsule("0.5,", "inf,"), [f"{ON_ELBOW}.end[0]", "inf"]),
    "capsule flat": (capsule("[0.5, 0, 0]", "[0.5, 0]"), [f"{ON_ELBOW}.end", "3 numbers"]),
    "capsule with a colour": (capsule("radius", "color = 1\nradius"), [ON_ELBOW, "color"]),
    "capsule in millimetres": (capsule("0.5,", "500,"), [f"{ON_ELBOW}.end[0]", "100 m"]),
    "capsules a number": (
        elbow('kind = "revolute"', 'kind = "revolute"\ncapsules = 3'),
        ["joints.elbow.capsules", "3", "a list of tables"],
    ),
    "capsules of numbers": (
        elbow('kind = "revolute"', 'kind = "revolute"\ncapsules = [3]'),
        ["capsules", "3", "a table"],
    ),
    "too many capsules": (capsule(CAPSULE, CAPSULE * 33), ["joint.capsules", "33", "32"]),
    "capsule of the base without end": (
        GOOD.replace(
            "[[joints]]", "[[capsules]]\nstart = [0, 0, 0]\nradius = 1\n[[joints]]", 1
        ).encode(),
        ["capsules 1", "end", "missing"],
    ),
    "jerk without its unit": (edit('jerk = "rad/s^3 [m/s^3]"\n', ""), ["units", "jerk"]),
    "jerk in degrees": (edit("rad/s^3 [m/s^3]", "deg/s^3"), ["jerk", "deg/s^3"]),
}

STRUCTURE: Cases = {
    "empty": (b"", ["format", "jointwise-robot"]),
    "another kind of file": (b'[project]\nname = "x"\n', ["format", "jointwise-robot"]),
    "another format": (edit('"jointwise-robot"', '"robot"'), ["format", "jointwise-robot"]),
    "a later version": (edit("version = 1", "version = 2"), ["version", "2"]),
    "version text": (edit("version = 1", 'version = "1"'), ["version", "'1'"]),
    "version true": (edit("version = 1", "version = true"), ["version", "True"]),
    "no version": (edit("version = 1\n", ""), ["version", "missing"]),
    "no name": (edit('name = "two_link"\n', ""), ["name", "missing"]),
    "no units": (
        GOOD.replace("[units]", "[sources]").replace('\n[sources]\n""', '\n""').encode(),
        ["units"],
    ),
    "no joints": (HEAD.encode(), ["joints", "missing"]),
    "joints empty": (
        edit("[units]", "joints = []\n[units]").split(b"[[joints]]")[0],
        ["joints", "0"],
    ),
    "wrong length unit": (edit('length = "m"', 'length = "mm"'), ["units.length", "'mm'", "'m'"]),
    "wrong angle unit": (edit('angle = "rad"', 'angle = "deg"'), ["units.angle", "'deg'", "'rad'"]),
    "wrong torque unit": (edit('"N m [N]"', '"kN m"'), ["units.torque", "kN m", "N m [N]"]),
    "unit a number": (edit('mass = "kg"', "mass = 1"), ["units.mass", "1", "'kg'"]),
    "unit not stated": (edit('mass = "kg"\n', ""), ["units", "mass", "missing"]),
    "unit of nothing": (
        edit("[units]", '[units]\nlenght = "m"'),
        ["units", "'lenght'", "'length'"],
    ),
    "units text": (
        edit("[units]", 'units = "SI"\n[payloads]'),
        ["unknown key 'payloads'", "did you mean 'payload'"],
    ),
    "misspelt top key": (edit("gravity", "gravitiy"), ["'gravitiy'", "'gravity'"]),
    "misspelt joint key": (elbow("kind", "kynd"), ["'kynd'", "'kind'"]),
    "misspelt field": (elbow("mass = 3.0", "mas = 3.0"), ["joints.elbow.link", "'mas'", "'mass'"]),
    "field of another convention": (
        elbow("alpha = 0.0", "axis = [0, 0, 1]"),
        ["joints.elbow.frame", "'axis'"],
    ),
    "unknown convention": (
        elbow(FRAME, 'convention = "dh"'),
        ["elbow.frame.convention", "'dh'", "standard_dh"],
    ),
    "convention a list": (elbow(FRAME, "convention = []"), ["elbow.frame.convention", "[]"]),
    "no convention": (elbow(FRAME + "\n", ""), ["joints.elbow.frame.convention", "missing"]),
    "no frame": (elbow("[joints.frame]", "[joints.frames]"), ["'frames'", "'frame'"]),
    "frame a number": (
        (HEAD + '[[joints]]\nname = "a"\nframe = 3\n').encode(),
        ["joints.a.frame", "3", "table"],
    ),
    "zero axis": (
        (
            HEAD
            + '[[joints]]\nname = "a"\nframe = { convention = "transform", axis = [0, 0, 0] }\n'
        ).encode(),
        ["joints.a.frame.axis", "0.0", "longer"],
    ),
    "nan axis": (
        (
            HEAD
            + '[[joints]]\nname = "a"\nframe = { convention = "transform", axis = [0, nan, 0] }\n'
        ).encode(),
        ["joints.a.frame.axis[1]", "nan"],
    ),
    "unknown kind": (elbow('"revolute"', '"ball"'), ["elbow", "'ball'", "'prismatic'"]),
    "kind a number": (elbow('"revolute"', "1"), ["elbow", "kind", "1"]),
    "duplicate joints": (elbow('"elbow"', '"shoulder"'), ["joint name", "'shoulder'", "once"]),
    "joint without a name": (elbow('name = "elbow"\n', ""), ["joint 2", "name", "missing"]),
    "joint name empty": (elbow('"elbow"', '""'), ["joint name", "''"]),
    "joint name a number": (elbow('"elbow"', "2"), ["joint name", "2"]),
    "joint name with a dot": (elbow('"elbow"', '"el.bow"'), ["'el.bow'", "dots"]),
    "joint name with a line break": (elbow('"elbow"', r'"el\nbow"'), ["joint name", "printable"]),
    "joint name with an escape": (elbow('"elbow"', r'"\u001b[2J"'), ["joint name", "printable"]),
    "joint name backwards": (elbow('"elbow"', r'"\u202eelbow"'), ["joint name", "printable"]),
    "joint name of half a megabyte": (
        elbow('"elbow"', f'"{"x" * 450_000}"'),
        ["joint name", "xxx", "128"],
    ),
    "joints a table": ((HEAD + "[joints]\nelbow = 1\n").encode(), ["joints", "elbow", "list"]),
    "joints of numbers": (
        edit("[units]", "joints = [1, 2]\n[units]").split(b"[[joints]]")[0],
        ["joint 1", "1", "table"],
    ),
    "65 joints": (
        (HEAD + "".join(map(JOINT.format, range(65)))).encode(),
        ["number of joints", "65", "64"],
    ),
    "link a list": (elbow("[joints.link]", "[[joints.link]]"), ["joints.elbow.link", "table"]),
    "link text": (
        (HEAD + JOINT.format(1).replace("\n[", '\nlink = "light"\n[', 1)).encode(),
        ["joints.j1.link", "light"],
    ),
    "limits unknown text": (
        (HEAD + JOINT.format(1).replace("\n[", '\nlimits = "none"\n[', 1)).encode(),
        ["joints.j1.limits", "none", "table"],
    ),
    "law without a name": (
        elbow(FRICTION, "[joints.friction]"),
        ["joints.elbow.friction", "name", "missing"],
    ),
    "law extra key": (
        elbow(FRICTION, FRICTION + "\nunit = 1"),
        ["joints.elbow.friction", "'unit'"],
    ),
    "law text": (
        (HEAD + JOINT.format(1).replace("\n[", '\nfriction = "coulomb"\n[', 1)).encode(),
        ["joints.j1.friction", "coulomb", "table"],
    ),
    "coupling singular": (edit(GRAVITY, "coupling = [[1, 1], [1, 1]]"), ["coupling", "invertible"]),
    "coupling of another size": (edit(GRAVITY, "coupling = [[1]]"), ["coupling", "(1, 1)", "2, 2"]),
    "coupling ragged": (edit(GRAVITY, "coupling = [[1, 0], [1]]"), ["coupling", "2, 2"]),
    "coupling text": (edit(GRAVITY, 'coupling = "none"'), ["coupling", "2, 2"]),
    "coupling nan": (edit(GRAVITY, "coupling = [[1, nan], [0, 1]]"), ["coupling", "nan"]),
    "coupling huge": (edit(GRAVITY, f"coupling = [[1, 1{'0' * 400}], [0, 1]]"), ["coupling"]),
    "payload a number": (
        NO_PAYLOAD.replace("[units]", "payload = 1\n[units]").encode(),
        ["payload", "1", "table"],
    ),
    "base a list": (edit("[base]", "[[base]]"), ["base", "table"]),
    "base without a unit": (
        edit("origin = [0.0", 'origin = ["0.0 m"'),
        ["base.origin[0]", "0.0 m"],
    ),
    "name a list": (edit('name = "two_link"', "name = []"), ["name", "[]"]),
    "description a number": (
        edit(NO_DESCRIPTION, 'description = 1 # "'),
        ["description", "1", "text"],
    ),
    "description too long": (
        edit(NO_DESCRIPTION, NO_DESCRIPTION + "x" * 5000),
        ["description", "4096"],
    ),
    "source of nothing": (
        edit("[sources]", '[sources]\n"joints.knee" = "me"'),
        ["sources", "joints.knee", "knee", "elbow"],
    ),
    "source a number": (edit("[sources]", "[sources]\ngravity = 3"), ["sources", "gravity", "3"]),
    "source with a bell": (
        edit("[sources]", '[sources]\ngravity = "\\u0007"'),
        ["sources", "gravity", "printable"],
    ),
    "sources a list": (
        edit("[units]", "sources = []\n[units]").split(b"[sources]")[0],
        ["sources", "[]", "table"],
    ),
}

TEXT: Cases = {
    "cut in the middle of a value": (GOOD[: ELBOW + 9].encode(), ["not valid TOML", "end"]),
    "cut in the middle of a list": (GOOD[: GOOD.index("-9.81")].encode(), ["not valid TOML"]),
    "key twice": (elbow("mass = 3.0", "mass = 3.0\nmass = 4.0"), ["not valid TOML", "line"]),
    "table twice": (edit("[tool]", "[flange]"), ["not valid TOML", "flange"]),
    "impossible date": (mass("2024-02-30"), ["not valid TOML", "date", "line"]),
    "xml": (b"<?xml version='1.0'?><robot name='x'/>", ["not valid TOML", "line 1"]),
    "binary": (bytes(range(256)) * 40, ["not UTF-8", "byte 128"]),
    "utf-16": (GOOD.encode("utf-16"), ["byte 0", "not UTF-8"]),
    "latin-1": (GOOD.replace("round", "r\u00fcnd").encode("latin-1"), ["0xfc", "not UTF-8"]),
    "zero bytes": (b"\0" * 1000, ["not valid TOML"]),
}

HEAVY: Cases = {
    "deep list": (mass("[" * 250_000), ["nested too deeply"]),
    "deep list, closed": (mass("[" * 40 + "]" * 40), ["nested more than 16"]),
    "deep table": (mass("{a=" * 150_000), ["nested too deeply"]),
    "long key": (b"a" + b".a" * 250_000 + b"=1", ["dotted key", "line 1"]),
    "long quoted key": (b'"a"' + b".'a'" * 120_000 + b"=1", ["dotted key", "line 1"]),
    "20,000 long keys": (
        b"".join(b"b%d." % k + b".".join([b"a"] * 7) + b"=1\n" for k in range(20_000)),
        ["format"],
    ),
    "half a megabyte of one word": (b"a" * 500_000, ["not valid TOML"]),
    "half a megabyte of quotes": (b'"' * 500_000, ["not valid TOML"]),
    "40,000 joints without a format": (b"[[joints]]\n" * 40_000, ["format"]),
    "40,000 joints": (HEAD.encode() + b"[[joints]]\n" * 40_000, ["joint 1", "missing"]),
    "50,000 keys": (
        b"".join(b"k%d=1\n" % k for k in range(50_000)) + GOOD[:60].encode(),
        ["not valid TOML"],
    ),
    "40,000 keys in a robot": (
        b"".join(b"k%d=1\n" % k for k in range(40_000)) + GOOD.encode(),
        ["unknown key 'k0'"],
    ),
    "too large": (b"#" * (MAX_BYTES + 1), [str(MAX_BYTES), "bytes"]),
    "hexadecimal of half a megabyte": (mass("0x" + "f" * 450_000), [MASS, "too long to show"]),
}
