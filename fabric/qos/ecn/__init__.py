"""ECN marking thresholds: published figures, our recommendation, and the units of each system."""
