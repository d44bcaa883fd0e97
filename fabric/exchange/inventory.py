"""A plant as an inventory folder: explicit design, every cable a row of ``cabling.csv``.

What no source tells, such as address pools and the lossless policy, comes from a base: sections of
a ``fabric.yaml``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from fabric.core.exports import text_file
from fabric.core.findings import Finding, Position, Severity
from fabric.exchange.assumed import assumed
from fabric.exchange.exporters.cable_plan import cabling_csv
from fabric.exchange.figures import figures
from fabric.exchange.host_profile import GPUS, MANAGEMENT, HostProfile, folded, management
from fabric.exchange.link_pools import in_order
from fabric.exchange.nic_subnets import untold_subnets
from fabric.exchange.routed_pools import outside_rails
from fabric.exchange.routed_units import has_routed, routed_units, untaken
from fabric.exchange.source_addresses import pools, without_routed
from fabric.exchange.source_ipv6 import has_addresses_of_links
from fabric.exchange.values import known
from fabric.exchange.yaml_text import dump
from fabric.intent.model import FabricFile
from fabric.intent.scalars import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.artefact import Artefact
    from fabric.exchange.assumed import Path
    from fabric.exchange.plant import Device, Plant
    from fabric.exchange.recipe import Recipe

#: Parts of the base that describe switches and cables, which the plant does itself.
_REPLACED = frozenset({
    *("name", "design", "cabling", "rails", "nic_ports", "planes", "units", "switches"),
    *("spines", "super_spines", "leaf_names", "spine_names"),
})
#: Sections that a base may give.
SECTIONS_OF_BASE = FabricFile.model_fields.keys() - _REPLACED
#: Places kept for the spines of a pod, so that more of them move nothing.
_SPINES_PER_POD = 4
_SECTIONS = {"leaf": "leaf", "spine": "spine", "super-spine": "super_spine"}


def inventory(plant: Plant, recipe: Recipe) -> tuple[Artefact, ...]:
    """Return the files of an inventory folder of a complete plant."""
    rails = max((nic.rail or 0 for nic in plant.nics), default=0) + 1
    names = HostProfile(plant, rails, recipe.base.get("host", {}))
    tree = _fabric(plant, recipe, rails, names)
    return _files(
        recipe,
        {
            "fabric.yaml": tree,
            "devices/imported.yaml": _listed("devices", _overrides(plant, recipe)),
            "hosts/imported.yaml": _listed("hosts", names.overrides(recipe.addresses)),
        },
        {"cabling.csv": cabling_csv(plant), "connections.json": _connections(plant)},
        assumed(plant, recipe, names, tree),
    )


def generated(plant: Plant, recipe: Recipe, rails: int) -> tuple[Artefact, ...]:
    """Return an inventory folder of a plant without cables: units of leaves, in pods if it has any.

    The design follows from the leaves: those of single rails, with spines above them or without.
    """
    base = _base_for(plant, recipe)
    hosts = _hosts_by_unit(plant)
    leaves = [item for item in plant.switches if item.role == "leaf"]
    taken = {*_REPLACED, "host", "platforms"}
    names = HostProfile(plant, rails, base.get("host", {}))
    tree = {
        "name": _name(plant.name) or _name(recipe.name) or "fabric",
        "design": _design(plant),
        "rails": rails,
        "units": [
            known({"name": unit, "hosts": folded(hosts[unit]), "pod": pod})
            for unit, pod in {item.unit: item.pod for item in leaves}.items()
        ],
        **_layers(plant, base),
        **_leaf_names(leaves),
        **{key: value for key, value in base.items() if key not in taken},
        "host": _host(plant, recipe, names),
    }
    return _files(recipe, {"fabric.yaml": tree}, {}, assumed(plant, recipe, names, tree))


def _design(plant: Plant) -> str:
    if not any(item.role == "spine" for item in plant.switches):
        return "rail-only"
    of_rails = any(item.rail is not None for item in plant.switches)
    return "rail-optimised" if of_rails else "classic-tor"


def _leaf_names(leaves: list[Device]) -> dict[str, str]:
    """Return the names of leaves, where they are not those that a design gives them."""
    usual = all(
        item.name in {f"{item.unit}-leaf", f"{item.unit}-rail{item.rail}"} for item in leaves
    )
    return {} if usual else {"leaf_names": folded([item.name for item in leaves])}


def _layers(plant: Plant, base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections of the switches of a plant without cables."""
    pods = {role: Counter(it.pod for it in plant.switches if it.role == role) for role in _SECTIONS}
    of_role = {key: dict(value) for key, value in base.get("platforms", {}).items()}
    sections: dict[str, Any] = {}
    if pods["spine"]:
        spines = base.get("spines", {"count": max(pods["spine"].values())})
        sections["spines"] = spines
        down = max(pods["leaf"].values()) * spines.get("links_per_leaf", 1)
        of_role.setdefault("spine", {}).setdefault("down_ports", down)
    if pods["super-spine"]:
        sections["super_spines"] = base.get("super_spines") or {
            "count": pods["super-spine"].total(),
            "spines_per_pod": max(_SPINES_PER_POD, spines["count"]),
        }
    present = {section for role, section in _SECTIONS.items() if pods[role]}
    sections["platforms"] = {key: value for key, value in of_role.items() if key in present}
    return sections


def guesses(plant: Plant, recipe: Recipe) -> list[Finding]:
    """Return what had to be chosen, since the source cannot tell it and the base does not fit."""
    place = Position(recipe.source)
    not_as_found = [
        Finding("EXC012", Severity.WARNING, message, fix, position=place)
        for message, fix in (
            *untaken(plant, recipe.base.get("addressing", {})),
            *untold_subnets(plant),
            *outside_rails(plant, _base_for(plant, recipe).get("addressing", {})),
        )
    ]
    base = recipe.base.get("host", {})
    interface, chosen = base.get("management_interface", MANAGEMENT), management(plant, base)
    if interface == chosen:
        return not_as_found
    message = (
        f"{interface} is a NIC of the fabric, so host.management_interface was set to {chosen}"
    )
    fix = "correct it in fabric.yaml; jobs start over that interface"
    return [*not_as_found, Finding("EXC012", Severity.WARNING, message, fix, position=place)]


def _files(
    recipe: Recipe,
    trees: Mapping[str, Mapping[str, Any]],
    texts: Mapping[str, str],
    remarks: Mapping[Path, str],
) -> tuple[Artefact, ...]:
    """Return the files; remarks are those of ``fabric.yaml``, the others are of the source."""
    head = f"# Imported by rocefab from {recipe.source}.\n"
    of = {"fabric.yaml": remarks}
    texts_by_path = {path: head + dump(tree, of.get(path)) for path, tree in trees.items() if tree}
    texts_by_path |= {path: text for path, text in texts.items() if text}
    return tuple(
        text_file("inventory", "inventory", path, text) for path, text in texts_by_path.items()
    )


def _fabric(plant: Plant, recipe: Recipe, rails: int, names: HostProfile) -> dict[str, Any]:
    base = _base_for(plant, recipe)
    planes = len({item.plane for item in plant.switches if item.plane is not None})
    hosts = _hosts_by_unit(plant)
    pods = {host.unit: host.pod for host in plant.hosts}
    pods |= {item.unit: item.pod for item in plant.switches if item.role == "leaf"}
    routed = routed_units(plant)
    mixed = base.get("addressing", {}).get("vlan_per") != "none"
    units = [
        {
            "name": unit,
            "hosts": folded(hosts[unit]),
            "pod": pods[unit],
            "vlan_per": "none" if mixed and unit in routed else "",
        }
        for unit in hosts
    ]
    taken = {*_REPLACED, "platforms", "speeds", "cables", "host"}
    return {
        "name": _name(plant.name) or _name(recipe.name) or "fabric",
        "design": "explicit",
        "cabling": "explicit",
        "rails": rails,
        **({"nic_ports": names.nic_ports} if names.nic_ports > 1 else {}),
        **({"planes": planes} if planes > 1 else {}),
        "units": [known(unit) for unit in units],
        "switches": _switches(plant, recipe),
        "platforms": _platforms(plant, recipe),
        **figures(plant, base),
        **recipe.tenants,
        **{key: value for key, value in base.items() if key not in taken},
        "host": _host(plant, recipe, names),
    }


def _base_for(plant: Plant, recipe: Recipe) -> dict[str, Any]:
    """Return a base whose pools hold the addresses, without what is for absent super-spines."""
    section = dict(recipe.base)
    if "addressing" in section and plant.cables:
        of_user = bool(recipe.base_name)
        section["addressing"] = pools(plant, section["addressing"], of_user=of_user)
    if "addressing" in section and not has_routed(plant, section["addressing"]):
        section["addressing"] = without_routed(section["addressing"])
    addressing = section.get("addressing", {})
    if "ipv6" in addressing and not has_addresses_of_links(plant):
        section["bgp"] = {**section.get("bgp", {}), "peering": "unnumbered"}
    if "addressing" in section and not any(it.role == "super-spine" for it in plant.switches):
        above = ("core_links", "core_links_per_spine")
        section["addressing"] = {k: v for k, v in section["addressing"].items() if k not in above}
    return section


def _host(plant: Plant, recipe: Recipe, names: HostProfile) -> dict[str, Any]:
    base = recipe.base.get("host", {})
    section = {"gpus": GPUS, **base, **names.section()}
    chosen = management(plant, base)
    if chosen != base.get("management_interface", MANAGEMENT):
        section["management_interface"] = chosen
    return section | ({"gpus": recipe.gpus} if recipe.gpus else {})


def _name(text: str) -> str:
    """Return a name of a fabric that is like a text."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", text)[:MAX_NAME].strip("-")


def _hosts_by_unit(plant: Plant) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for host in plant.hosts:
        names.setdefault(host.unit, []).append(host.name)
    return names


def _connections(plant: Plant) -> str:
    reach = {item.name: {"address": item.management} for item in plant.devices if item.management}
    return json.dumps({"devices": reach}, indent=2) + "\n" if reach else ""


def _listed(key: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {key: items} if items else {}


def _switches(plant: Plant, recipe: Recipe) -> list[dict[str, Any]]:
    usual = _usual_skus(plant, recipe)
    return [_switch(item, recipe, usual) for item in in_order(plant)]


def _switch(item: Device, recipe: Recipe, usual: Mapping[str, str]) -> dict[str, Any]:
    sku = recipe.skus.get(item.name, "")
    return known({
        "names": item.name,
        "role": item.role,
        "unit": item.unit if item.role == "leaf" else "",
        "rail": item.rail,
        "pod": item.pod,
        "plane": item.plane,
        "sku": "" if sku == usual.get(item.role) else sku,
        "asn": item.asn,
        "loopback": item.loopback,
    })


def switch_models(plant: Plant, recipe: Recipe) -> dict[str, str]:
    """Return the name of the model of each switch."""
    usual = _usual_skus(plant, recipe)
    return {it.name: recipe.skus.get(it.name) or usual.get(it.role, "") for it in plant.switches}


def role_breakouts(plant: Plant, recipe: Recipe) -> dict[str, list[dict[str, Any]]]:
    """Return the breakouts that each switch has by its role in the base."""
    base = recipe.base.get("platforms", {})
    of_role = {
        role: base.get(section, {}).get("breakouts", []) for role, section in _SECTIONS.items()
    }
    return {item.name: of_role[item.role] for item in plant.switches}


def _usual_skus(plant: Plant, recipe: Recipe) -> dict[str, str]:
    """Return the model of each role: that of the base, else what most of its switches are."""
    models = {}
    for role, section in _SECTIONS.items():
        named = recipe.base.get("platforms", {}).get(section, {}).get("sku", "")
        known = [recipe.skus[item.name] for item in plant.switches if item.role == role
                 and item.name in recipe.skus]  # fmt: skip
        if named and (not known or named in known):
            models[role] = named
        elif known:
            models[role] = Counter(known).most_common(1)[0][0]
    return models


def _platforms(plant: Plant, recipe: Recipe) -> dict[str, Any]:
    base = recipe.base.get("platforms", {})
    usual = _usual_skus(plant, recipe)
    present = {item.role for item in plant.switches}
    roles = [role for role in _SECTIONS if role in present or (role == "spine" and role in usual)]
    sections = {
        _SECTIONS[role]: {**base.get(_SECTIONS[role], {}), "sku": usual.get(role, "")}
        for role in roles
    }
    if recipe.host_ports and "leaf" in sections:
        sections["leaf"].setdefault("host_ports", recipe.host_ports)
    return sections


def _overrides(plant: Plant, recipe: Recipe) -> list[dict[str, Any]]:
    """Return what switches have alone, from racks and serials to ports that are off."""
    ports = _ports(plant, recipe)
    rows = (
        {
            "names": one.name,
            "rack": one.rack,
            "serial": one.serial,
            "mac": one.mac,
            "breakouts": recipe.breakouts.get(one.name, ""),
            "subnets": recipe.subnets.get(one.name, ""),
            "ports": ports.get(one.name, ""),
        }
        for one in plant.switches
    )
    return [row for row in map(known, rows) if len(row) > 1]


def _ports(plant: Plant, recipe: Recipe) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what single ports have, by switch: address, description, or that they are off."""
    ports: dict[str, dict[str, dict[str, Any]]] = {}
    for name, links in recipe.links.items():
        ports[name] = {port: {**addresses} for port, addresses in links.items()}
    for name, values in recipe.descriptions.items():
        for port, value in values.items():
            ports.setdefault(name, {}).setdefault(port, {})["description"] = value
    for cable in (one for one in plant.disabled if one not in recipe.quarantined):
        ends = (end for end in (cable.near, cable.far) if plant.device[end[0]].kind == "switch")
        name, port = next(ends)
        ports.setdefault(name, {}).setdefault(port, {})["enabled"] = False
    return ports
