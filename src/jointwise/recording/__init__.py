"""Recordings: measured columns of declared kind and unit, per joint, on one clock."""
