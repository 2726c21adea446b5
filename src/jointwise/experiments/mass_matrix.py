"""What a fit says of its mass matrix: whether it is positive definite in every pose that was tried. Spec 02.10."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from jointwise.estimators.mass_audit import MassAudit, audit_mass_matrix
from jointwise.experiments.design import Design


def audited(design: Design, values: NDArray[Any]) -> MassAudit:
    """The audit of the base parameters of an estimate, within the limits of the joints."""
    return audit_mass_matrix(design.robot, design.base, values[: design.base.count])


def to_settings(audit: MassAudit) -> dict[str, Any]:
    """Plain data with stable keys."""
    return {
        "mass_matrix_smallest": audit.smallest_eigenvalue,
        "mass_matrix_poses": audit.poses,
        "mass_matrix_share_not_positive": audit.share_not_positive,
        "mass_matrix_worst_pose": audit.pose.tolist(),
    }


def sentence(audit: MassAudit) -> str:
    """One sentence for the notes of a fit."""
    least = f"its smallest eigenvalue is {audit.smallest_eigenvalue:.3g} kg m^2"
    if audit.positive:
        return f"the mass matrix is positive definite in all {audit.poses} poses tried; {least}"
    share = 100.0 * audit.share_not_positive
    return (
        f"the mass matrix is not positive definite in {share:.3g} % of {audit.poses} poses; {least}: "
        "do not simulate or control with it, fit with method physical"
    )
