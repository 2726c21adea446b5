"""The frozen description of an arm, its text file, URDF, the library, and what can be computed from it."""
