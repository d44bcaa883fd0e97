"""PFC deadlock: cyclic buffer dependency of explicit routes, and of whole fabrics."""

from fabric.qos.deadlock.cycle import Channel, Cycle, dependencies, find_cycle
from fabric.qos.deadlock.proof import Bounce, Proof, prove

__all__ = ["Bounce", "Channel", "Cycle", "Proof", "dependencies", "find_cycle", "prove"]
