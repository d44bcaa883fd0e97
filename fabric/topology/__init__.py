"""The realised network: switches, hosts, NICs, cables and addresses, and a networkx view of them."""

from fabric.topology.model import Fabric
from fabric.topology.realise import realise

__all__ = ["Fabric", "realise"]
