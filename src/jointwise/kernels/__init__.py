"""Compiled mathematics on plain arrays. Nothing here knows an object of the rooms above."""
