"""Graphs for other programs: networkx' node-link JSON, and GraphML.

The attributes are those of ``docs/reference/graph.md``. GraphML has no nested ones, so ends are
written out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.network import network

if TYPE_CHECKING:
    from fabric.exchange.plant import Plant


def _json(plant: Plant) -> Exported:
    import networkx as nx

    data = nx.node_link_data(network(plant), edges="edges")
    text = json.dumps(data, indent=1) + "\n"
    return Exported((text_file("json", "graph", "graph.json", text),))


def _graphml(plant: Plant) -> Exported:
    import networkx as nx

    lines = nx.generate_graphml(network(plant, flat=True), named_key_ids=True)
    text = "\n".join(lines) + "\n"
    return Exported((text_file("graphml", "graph", "fabric.graphml", text),))


exporters.add("json")(
    Exporter(
        {"graph": _json}, about=About.FABRIC, title="graph as JSON, node-link form of networkx"
    )
)
exporters.add("graphml")(
    Exporter({"graph": _graphml}, about=About.FABRIC, title="graph as GraphML")
)
