"""Every kind of damage, in the order in which the modules register them."""

import damage_values  # noqa: F401, I001
import damage_clock  # noqa: F401
import damage_readings  # noqa: F401
import damage_units  # noqa: F401
from damage import DAMAGES

__all__ = ["DAMAGES"]
