"""The whole chain of experiments on one arm, in the right order."""
