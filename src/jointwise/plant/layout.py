"""How an arm with drives is packed for the plant's kernels: which number stands where."""

from __future__ import annotations

# Columns of `drives`, one row of floats per joint.
ROTOR = 0  # reflected rotor inertia B
DAMPING = 1  # of the transmission, D
DRIVE_WIDTH = 2

# Columns of `table`, one row of whole numbers per joint.
TRANSMISSION = 0  # code of the stiffness law, first and last + 1 place of its numbers in p
ERROR = 3  # the same of the kinematic error, code 0 for none
ROTOR_TERMS = 6  # first and last + 1 row of the friction terms on the rotor
LINK_TERMS = 8  # the same on the link
TABLE_WIDTH = 10

# Rows of x, the mechanical state.
Q = 0
DQ = 1
THETA = 2
DTHETA = 3

# Rows of `inputs`.
MOTOR_TORQUE = 0
LINK_TORQUE = 1  # from outside, acting on the links
TEMPERATURE = 2  # of the oil, degC

# Rows of `forces`, what the drives do at one instant.
JOINT_TORQUE = 0
LEVERAGE = 1  # d(corrected rotor angle) / d(rotor angle), 1 without kinematic error
ROTOR_FRICTION = 2
LINK_FRICTION = 3
FORCES = 4
