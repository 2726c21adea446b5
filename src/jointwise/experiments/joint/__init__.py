"""Experiments on one joint: friction, stiffness, kinematic error, hysteresis; one file each."""
