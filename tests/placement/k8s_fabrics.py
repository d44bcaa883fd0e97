"""Clusters for the tests: one for each container mode, and their exports."""

from __future__ import annotations

from typing import Any

import yaml

from fabric.core.exports import export, exporters
from fabric.placement.export import JobWords, Order
from fabric.topology import Fabric
from tests.topology.fabrics import fabric

NICS = {"model": "ConnectX-7", "pci_addresses": ["0000:18:00.0", "0000:3a:00.0"]}
MODES = ("host-network", "physical-function", "virtual-function", "macvlan")
INFRASTRUCTURE = ("cluster-policy", "nic-settings", "pools", "functions", "networks")
JOBS = ("pytorchjob", "mpijob", "trainjob", "raycluster")
WORDS = JobWords("train", "example.org/train:1", ("python", "train.py"))


def cluster(mode: str, hosts: str = "", **changes: Any) -> Fabric:
    """Return five hosts of two units, every NIC with a subnet of its own."""
    functions = {"virtual_functions": 8} if mode == "virtual-function" else {}
    data: dict[str, Any] = {
        "host__container_mode": mode,
        "host__nic": {**NICS, **functions},
        "addressing__vlan_per": "nic",
        "addressing__host_prefix_length": 28,
        "kubernetes": {
            "operator_version": "network-operator-v25.7.0",
            "scheduler": "volcano",
            "tools_image": "example.org/tools:1",
        },
    }
    return fabric("", hosts, **{**data, **changes})


def shared(mode: str, hosts: str = "", **changes: Any) -> Fabric:
    """Return the same with one subnet for the NICs of a rail on a leaf."""
    whole = {"addressing__vlan_per": "rail", "addressing__host_prefix_length": 24}
    return cluster(mode, hosts, **{**whole, **changes})


def texts(built: Fabric, *parts: str, **order: Any) -> dict[str, str]:
    """Return the files of an export by path."""
    chosen = {"nodes": 2, "words": WORDS, **order}
    done = export(Order(built, **chosen), exporters["k8s"], parts)
    return {file.path: file.text for file in done.files}


def objects(built: Fabric, *parts: str, **order: Any) -> list[dict[str, Any]]:
    """Return the objects of an export, in the order of application."""
    result = texts(built, *parts, **order)
    return [yaml.safe_load(text) for _, text in sorted(result.items())]


def named(items: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Return the specs of a kind by name."""
    return {item["metadata"]["name"]: item["spec"] for item in items if item["kind"] == kind}
