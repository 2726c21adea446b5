"""3-vectors as tuples of scalars, and the same vectors carrying time derivatives.

A vector is a tuple `(x, y, z)`. A *jet* is a tuple of three values of a quantity that moves in time: its Taylor
coefficients `(v, v', v''/2)`. Sums act on each coefficient, products convolve them. The functions of this file take
either form, so a recursion written once gives torques when it is fed vectors, and torques with their first and
second time derivative when it is fed jets. The compiler picks the form from the types.
"""

from __future__ import annotations

from jointwise.kernels.form import by_form
from jointwise.kernels.jit import inline


@inline
def add3(a, b):
    """Sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def cross3(a, b):
    """Vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@inline
def dot3(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def scale3(k, a):
    """A scalar times a vector."""
    return (k * a[0], k * a[1], k * a[2])


@inline
def tensor3(i, w):
    """Symmetric tensor (XX, XY, XZ, YY, YZ, ZZ) times a vector."""
    return (
        i[0] * w[0] + i[1] * w[1] + i[2] * w[2],
        i[1] * w[0] + i[3] * w[1] + i[4] * w[2],
        i[2] * w[0] + i[4] * w[1] + i[5] * w[2],
    )


@inline
def tilt3(t, v):
    """Rot_x(alpha) v with t = (cos alpha, sin alpha)."""
    return (v[0], t[0] * v[1] - t[1] * v[2], t[1] * v[1] + t[0] * v[2])


@inline
def untilt3(t, v):
    """Rot_x(alpha)^T v with t = (cos alpha, sin alpha)."""
    return (v[0], t[0] * v[1] + t[1] * v[2], t[0] * v[2] - t[1] * v[1])


@inline
def spin3(r, v):
    """Rot_z(angle) v with r = (cos, sin, 1)."""
    return (r[0] * v[0] - r[1] * v[1], r[1] * v[0] + r[0] * v[1], r[2] * v[2])


@inline
def unspin3(r, v):
    """Rot_z(angle)^T v with r = (cos, sin, 1)."""
    return (r[0] * v[0] + r[1] * v[1], r[0] * v[1] - r[1] * v[0], r[2] * v[2])


@inline
def along_z3(k):
    """The vector (0, 0, k)."""
    return (0.0, 0.0, k)


def _linear(base, depth, name):
    @inline
    def jet(a):
        return (base(a[0]), base(a[1]), base(a[2]))

    return by_form({(False,): base, (True,): jet}, (depth,), name, base.__doc__)


def _sum(base, name):
    @inline
    def jets(a, b):
        return (base(a[0], b[0]), base(a[1], b[1]), base(a[2], b[2]))

    return by_form({(False, False): base, (True, True): jets}, (1, 1), name, base.__doc__)


def _product(base, depth, plus, name):
    """A bilinear function; `plus` adds two of its results."""

    @inline
    def jet_jet(a, b):
        return (
            base(a[0], b[0]),
            plus(base(a[0], b[1]), base(a[1], b[0])),
            plus(plus(base(a[0], b[2]), base(a[2], b[0])), base(a[1], b[1])),
        )

    @inline
    def plain_jet(a, b):
        return (base(a, b[0]), base(a, b[1]), base(a, b[2]))

    @inline
    def jet_plain(a, b):
        return (base(a[0], b), base(a[1], b), base(a[2], b))

    forms = {
        (False, False): base,
        (False, True): plain_jet,
        (True, False): jet_plain,
        (True, True): jet_jet,
    }
    return by_form(forms, depth, name, base.__doc__)


@inline
def _plus(a, b):
    return a + b


@inline
def _times(a, b):
    """Product of two scalars."""
    return a * b


add = _sum(add3, "add")
cross = _product(cross3, (1, 1), add3, "cross")
dot = _product(dot3, (1, 1), _plus, "dot")
scale = _product(scale3, (0, 1), add3, "scale")
times = _product(_times, (0, 0), _plus, "times")
tensor = _product(tensor3, (1, 1), add3, "tensor")
tilt = _product(tilt3, (1, 1), add3, "tilt")
untilt = _product(untilt3, (1, 1), add3, "untilt")
spin = _product(spin3, (1, 1), add3, "spin")
unspin = _product(unspin3, (1, 1), add3, "unspin")
along_z = _linear(along_z3, 0, "along_z")


@inline
def _z_plain(v):
    return v[2]


@inline
def _z_jet(v):
    return (v[0][2], v[1][2], v[2][2])


@inline
def _constant_plain(value, like):
    return value


@inline
def _constant_jet(value, like):
    return (value, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@inline
def _shifted_plain(value, shift):
    return value + shift


@inline
def _shifted_jet(value, shift):
    return (value[0] + shift, value[1], value[2])


z_of = by_form({(False,): _z_plain, (True,): _z_jet}, (1,), "z_of", "The z component of a vector.")
constant = by_form(
    {(False, False): _constant_plain, (False, True): _constant_jet},
    (1, 0),
    "constant",
    "A vector that does not move, in the form of the scalar `like`.",
)
shifted = by_form(
    {(False, False): _shifted_plain, (True, False): _shifted_jet},
    (0, 0),
    "shifted",
    "A scalar plus a constant.",
)
