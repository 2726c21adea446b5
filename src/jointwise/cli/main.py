"""The `jointwise` command: collects the verbs, and turns our errors into one line and exit code 2.

Each verb imports what it needs inside its function, so `--help` stays fast.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from jointwise import __version__
from jointwise.cli import (
    calibrate,
    check,
    demo,
    fit,
    fit_cartesian,
    fit_drive_gain,
    fit_joint,
    fit_payload,
    import_,
    plan,
    report,
    robots,
    run,
    show,
    validate,
)
from jointwise.errors import JointwiseError

USAGE_ERROR = 2
INTERRUPTED = 130
PRODUCT_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Read by linear algebra when NumPy is loaded. Our matrices are small and our loops use all cores already; with threads
of its own a fit takes twice the processor, and on a busy machine ten times the time."""


class OneLineErrors(TyperGroup):
    """A group of commands that reports every error of the package as one line on stderr."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error made on purpose, or Ctrl-C, never shows a traceback."""
        for name in PRODUCT_THREADS:
            os.environ.setdefault(name, "1")
        try:
            return super().invoke(ctx)
        except JointwiseError as error:
            typer.echo(f"jointwise: {error}", err=True)
            raise typer.Exit(USAGE_ERROR) from error
        except KeyboardInterrupt:
            typer.echo("jointwise: interrupted; files that were complete are kept", err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=OneLineErrors,
    name="jointwise",
    help="Tells the owner of a robot arm what every joint really does.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"jointwise {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Tells the owner of a robot arm what every joint really does."""


app.command("robots", epilog=robots.EXAMPLE)(robots.robots)
app.command("show", epilog=show.EXAMPLE)(show.show)
app.add_typer(plan.plan, name="plan")
app.command("run", epilog=run.EXAMPLE)(run.run)
app.command("import", epilog=import_.EXAMPLE)(import_.import_)
app.command("check", epilog=check.EXAMPLE)(check.check)
fit.app.command("payload", epilog=fit_payload.EXAMPLE)(fit_payload.payload)
fit.app.command("drive-gain", epilog=fit_drive_gain.EXAMPLE)(fit_drive_gain.drive_gain)
fit.app.command("cartesian-stiffness", epilog=fit_cartesian.EXAMPLE)(
    fit_cartesian.cartesian_stiffness
)
app.add_typer(fit.app, name="fit", cls=fit_joint.Experiments, epilog=fit.EXAMPLE)
app.command("validate", epilog=validate.EXAMPLE)(validate.validate)
app.command("calibrate", epilog=calibrate.EXAMPLE)(calibrate.calibrate)
app.command("report", epilog=report.EXAMPLE)(report.report)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)
