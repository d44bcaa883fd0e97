"""Graphs for other programs: networkx' node-link JSON, and GraphML.

The attributes are those of ``docs/graph.md``; GraphML has no nested ones, so ends are written out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.exchange.forms import Exporter, plant_exporters, text_file
from fabric.exchange.network import network

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.exchange.plant import Plant


def _json(plant: Plant) -> tuple[Artefact, ...]:
    import networkx as nx

    data = nx.node_link_data(network(plant), edges="edges")
    text = json.dumps(data, indent=1) + "\n"
    return (text_file("json", "graph", "graph.json", text),)


def _graphml(plant: Plant) -> tuple[Artefact, ...]:
    import networkx as nx

    lines = nx.generate_graphml(network(plant, flat=True), named_key_ids=True)
    text = "\n".join(lines) + "\n"
    return (text_file("graphml", "graph", "fabric.graphml", text),)


plant_exporters.add("json")(Exporter({"graph": _json}))
plant_exporters.add("graphml")(Exporter({"graph": _graphml}))
