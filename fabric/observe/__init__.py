"""Observed state: what devices and hosts say, parsed into types; unreadable is ``unknown``."""

from fabric.observe.collect import read_running, read_snapshot, snapshot_of
from fabric.observe.snapshot import Running, Snapshot

__all__ = ["Running", "Snapshot", "read_running", "read_snapshot", "snapshot_of"]
