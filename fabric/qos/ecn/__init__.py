"""ECN marking thresholds: published figures, and the units of each system."""
