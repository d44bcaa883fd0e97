"""PFC deadlock: cyclic buffer dependency of whole fabrics."""

from fabric.qos.deadlock.cycle import Channel, Cycle
from fabric.qos.deadlock.proof import Bounce, Proof, prove

__all__ = ["Bounce", "Channel", "Cycle", "Proof", "prove"]
