"""PTM's ``topology.dot``: cables as edges, devices as nodes.

Prescriptive Topology Manager: Cumulus Linux 5 guide, "Prescriptive Topology Manager - PTM". Edge
attributes of PTM itself (LLDP, BFD) are passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.exchange.dot_text import DotError, DotGraph, parse
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.values import CABLE_WORDS, DEVICE_WORDS, NIC_WORDS, malformed, pick, text_of

if TYPE_CHECKING:
    from pathlib import Path


def cables_of(path: Path, draft: Draft) -> DotGraph:
    """Take the nodes and edges of a file in, or raise InputError."""
    try:
        graph = parse(text_of(path))
    except DotError as error:
        message, _, fix = str(error).partition("; ")
        raise malformed(path, message, fix, error.line, error.column) from error
    for node in graph.nodes:
        place = draft.place(node.token.line, node.token.column)
        values = pick(node.attributes, DEVICE_WORDS)
        draft.device(node.name, place, values, source_role=True)
    for edge in graph.edges:
        place = draft.place(edge.token.line, edge.token.column)
        draft.cable(edge.near, edge.far, place, pick(edge.attributes, CABLE_WORDS))
        nic = edge.attributes.get("nic_host")
        if nic is not None:
            interface = edge.near[1] if edge.near[0] == nic else edge.far[1]
            draft.nic(nic, interface, place, pick(edge.attributes, NIC_WORDS))
    return graph


def _read(path: Path, settings: Settings) -> Imported:
    draft = Draft.of(path, settings)
    graph = cables_of(path, draft)
    return Imported(draft.plant(graph.name))


importers.add("dot")(Importer(_read))
