"""From recorded torques to parameters, with how sure each one is."""
