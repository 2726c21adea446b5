"""The simulated arm: flexible joints, friction with memory, sensors, servo, faults."""
