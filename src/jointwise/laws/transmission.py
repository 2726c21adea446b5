"""What every stiffness law offers: torque, stiffness, its slope, and the deformation at a torque."""

from __future__ import annotations

from numpy.typing import ArrayLike

from jointwise.laws.base import Array, JointLaw


class TransmissionLaw(JointLaw):
    """An elastic torque tau_E(phi), odd and not decreasing; phi > 0 where the rotor leads the link.

    Kernels, all on packed parameters: torque(p, phi), stiffness(p, phi), slope(p, phi) = dk/dphi, deformation(p, tau).
    """

    def torque(self, deformation: ArrayLike) -> Array:
        """tau_E at each deformation [N m]."""
        return self._evaluated(0, deformation)

    def stiffness(self, deformation: ArrayLike) -> Array:
        """K = d tau_E / d phi [N m/rad]."""
        return self._evaluated(1, deformation)

    def stiffness_slope(self, deformation: ArrayLike) -> Array:
        """Dk / d phi [N m/rad^2]; zero at corners."""
        return self._evaluated(2, deformation)

    def deformation(self, torque: ArrayLike) -> Array:
        """Phi with tau_E(phi) = torque [rad]; in a dead zone at zero torque, its middle."""
        return self._evaluated(3, torque)

    def _evaluated(self, what: int, value: ArrayLike) -> Array:
        from jointwise.laws.transmissions import evaluated

        return evaluated(self, what, value)

    @classmethod
    def reductions(cls) -> tuple[tuple[TransmissionLaw, TransmissionLaw], ...]:
        """Instances with an extra parameter at zero, each with the simpler law it must then equal."""
        return ()
