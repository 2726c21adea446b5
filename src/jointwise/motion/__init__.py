"""Planned motions: sampled paths with as many derivatives as their planner guarantees."""
