"""Pause storms: which ports are paused when a NIC pauses without end, and when."""
