"""`python -m jointwise` does the same as `jointwise`."""

from jointwise.cli.main import app

if __name__ == "__main__":
    app(prog_name="jointwise")
