"""The realised network: switches, hosts, NICs, cables and addresses, and their networkx view."""

from fabric.topology.graph import graph
from fabric.topology.model import Fabric
from fabric.topology.realise import realise

__all__ = ["Fabric", "graph", "realise"]
