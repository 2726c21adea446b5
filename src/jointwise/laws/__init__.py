"""One file for each joint law: its parameters, its formula, where it comes from and where it holds."""
