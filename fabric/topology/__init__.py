"""The realised network: switches, hosts, NICs, cables, addresses, and a networkx view."""

from fabric.topology.model import Fabric
from fabric.topology.realise import realise

__all__ = ["Fabric", "realise"]
