"""Graphs: node-link JSON as networkx writes it, and GraphML."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.network import take
from fabric.exchange.values import json_of, malformed, text_of

if TYPE_CHECKING:
    from pathlib import Path


def _json(path: Path, settings: Settings) -> Imported:
    data = json_of(path)
    fix = "create it with networkx.node_link_data(graph, edges='edges')"
    if not isinstance(data, dict):
        raise malformed(path, "expected an object with nodes and edges", fix)
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    head = data.get("graph")
    name = head.get("name", "") if isinstance(head, dict) else ""
    if not _objects(nodes) or not _objects(edges):
        raise malformed(path, "nodes and edges must be lists of objects", fix)
    return _imported(path, str(name), (nodes, edges), settings)


def _graphml(path: Path, settings: Settings) -> Imported:
    import networkx as nx

    text = text_of(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        message = "the file has a document type, which can load external content"
        raise malformed(path, message, "remove it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # networkx warns where it would guess
            graph = nx.parse_graphml(text, force_multigraph=True)
    except (nx.NetworkXError, ParseError, LookupError, TypeError, UserWarning, ValueError) as error:
        message = f"not GraphML: {str(error)[:80]!a}"
        raise malformed(path, message, "create it with networkx.write_graphml") from error
    nodes = [{**data, "id": name} for name, data in graph.nodes(data=True)]
    edges = [data for *_, data in graph.edges(data=True)]
    return _imported(path, str(graph.graph.get("name", "")), (nodes, edges), settings)


def _imported(path: Path, name: str, parts: tuple[Any, Any], settings: Settings) -> Imported:
    nodes, edges = parts
    draft = Draft.of(path, settings, closed=True)
    take(draft, nodes, edges)
    return Imported(draft.plant(name))


def _objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


importers.add("json")(Importer(_json))
importers.add("graphml")(Importer(_graphml))
