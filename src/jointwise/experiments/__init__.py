"""Experiments: from a question about an arm to a motion, and from recordings to an answer with its uncertainty."""
