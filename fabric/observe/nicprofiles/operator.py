"""Objects of the NIC Configuration Operator, and those of the Network Operator that set NICs.

Mellanox/nic-configuration-operator: api/v1alpha1/nicconfigurationtemplate_types.go,
pkg/configuration/configvalidation.go (order: Spectrum-X, template, raw settings, which win; without
``qos``: trust DSCP, PFC of priority 3, ToS 0). Merged CRDs: Mellanox/network-operator.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.observe.hostfacts.values import pci_address
from fabric.observe.nicprofiles import ProfileForm, profile_forms, refused
from fabric.observe.nicprofiles.nvconfig import values_of_ports
from fabric.observe.nicprofiles.objects import Node, objects
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicProfile, NicValue
from fabric.observe.nicprofiles.spectrum_x import inner_profile, is_profile, profiles_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAME = "operator"
_LABEL = "network.nvidia.com/operator.nic-configuration.spectrum-x-profile"
_BITS = re.compile("[01](?:,[01]){7}")
_RELEASE = re.compile(r"(?:^|[^\d.])v?(2\d\.\d{1,2})(?:\.\d|$)")
#: Bits of the ECN field in a traffic class byte (RFC 3168).
_ECN_BITS = 2
_DEFAULT_PFC = frozenset((3,))


class Release(NamedTuple):
    """What a release of the Network Operator does.

    Parameters
    ----------
    cnp_dscp : int
        DSCP of CNPs that ``roceOptimized`` sets.
    spectrum_x_cnp_dscp : int or None
        That which it sets with a Spectrum-X profile at run time; None where it is not known.
    takes_raw : bool
        Whether raw settings may stand next to a Spectrum-X profile.
    """

    cnp_dscp: int
    spectrum_x_cnp_dscp: int | None
    takes_raw: bool


#: In order. Branches network-operator-25.7.x to 26.7.x of Mellanox/nic-configuration-operator
#: (``CNP_DSCP`` in pkg/configuration, ``cnpDscpExpectedValue`` in pkg/spectrumx, rules on
#: ``rawNvConfig`` in api/v1alpha1); NVIDIA Network Operator v26.10.0, Configuration Details
#: (``CNP_DSCP_P1=48``), and pull request 481 (raw settings rejected again).
RELEASES = {
    "25.7": Release(4, None, takes_raw=True),
    "25.10": Release(4, None, takes_raw=False),
    "26.1": Release(4, 48, takes_raw=False),
    "26.4": Release(4, 48, takes_raw=True),
    "26.7": Release(4, 48, takes_raw=True),
    "26.10": Release(48, None, takes_raw=False),
}
#: Objects that say nothing of what a NIC does with a lossless class.
_OTHERS = {
    "mellanox.com/v1alpha1": {"HostDeviceNetwork", "MacvlanNetwork", "IPoIBNetwork"},
    "sriovnetwork.openshift.io/v1": {"SriovNetwork", "SriovOperatorConfig", "OVSNetwork"},
    "nv-ipam.nvidia.com/v1alpha1": {"CIDRPool", "IPPool"},
    "configuration.net.nvidia.com/v1alpha1": {
        *("NicInterfaceNameTemplate", "NicFirmwareSource", "NicFirmwareTemplate"),
    },
    "k8s.cni.cncf.io/v1": {"NetworkAttachmentDefinition"},
    "v1": {"Namespace"},
}


def _matches(text: str) -> bool:
    groups = "|".join(re.escape(name.partition("/")[0]) for name in _OTHERS if "/" in name)
    kinds = rf"[\"']?(?:apiVersion[\"']?:\s*[\"']?(?:{groups})/|(?:mlxConfig|runtimeConfig)[\"']?:)"
    return bool(re.search(rf"^[\s,{{-]*{kinds}", text, re.MULTILINE) or _LABEL in text)


def _read(text: str, file: str) -> list[NicProfile]:
    return [profile for node in objects(text, file) for profile in _of_object(node)]


def _of_object(node: Node) -> Iterator[NicProfile]:
    """Yield what an object says; unknown kinds and versions are rejected by name."""
    if node.get("kind") is None and is_profile(node):
        yield from profiles_of(node, _NAME)
        return
    words = [part.word() if part else "" for part in (node.get("apiVersion"), node.get("kind"))]
    version, kind = words
    read = _READERS.get((version, kind))
    if read:
        yield from read(node)
    elif kind not in _OTHERS.get(version, ()):
        known = ", ".join(sorted({name for _, name in _READERS}))
        message = f"kind {kind[:60]!r} of version {version[:60]!r} is not known"
        fix = f"remove the object from the file; read are {known}"
        raise refused(node.document.file, node.line, message, fix, node.field)


def _subject(node: Node) -> str:
    name, kind = node.get("metadata", "name"), node.get("kind")
    return " ".join(part.word() for part in (kind, name) if part)


def _template(node: Node) -> Iterator[NicProfile]:
    """Yield the settings of a template, which ``resetToDefault`` makes the operator ignore."""
    template = node.get("spec", "template")
    selector = node.get("spec", "nicSelector")
    device = selector.get("nicType") if selector else None
    addresses = selector.get("pciAddresses") if selector else None
    base = NicProfile(
        form=_NAME,
        file=node.document.file,
        line=node.line,
        subject=_subject(node),
        device_id=device.word() if device else "",
        pci_addresses=_addresses(addresses) if addresses else frozenset(),
    )
    reset = node.get("spec", "resetToDefault")
    if template and not (reset and reset.flag()):
        yield from _settings(template, base)


def _device(node: Node) -> Iterator[NicProfile]:
    """Yield the settings of a NicDevice: those of its template, for the ports of its status."""
    template, ports = node.get("spec", "configuration", "template"), node.get("status", "ports")
    places = [port.get("pci") for port in ports.items()] if ports else []
    addresses = frozenset(pci_address(place.word()) for place in places if place)
    base = NicProfile(
        form=_NAME,
        file=node.document.file,
        line=node.line,
        subject=_subject(node),
        pci_addresses=addresses,
    )
    if template:
        yield from _settings(template, base)


def _addresses(node: Node) -> frozenset[str]:
    return frozenset(pci_address(item.word()) for item in node.items())


def _settings(template: Node, base: NicProfile) -> Iterator[NicProfile]:
    """Yield the settings of each port; raw ones win over the others."""
    roce, spectrum = template.get("roceOptimized"), template.get("spectrumXOptimized")
    raw = template.get("rawNvConfig")
    keys = dict(_raw(item) for item in raw.items()) if raw else {}
    fields: Fields = {}
    if roce and _is_on(roce):
        fields = _roce(roce)
    if spectrum and _is_on(spectrum):
        fields["spectrum_x"] = NicValue(value=True, line=spectrum.line)
        if keys:
            name = next(iter(keys))
            fields["raw_beside"] = NicValue(name, keys[name].line)
    ports = values_of_ports(keys, base.file) or {0: {}}
    if 0 not in ports:
        ports.setdefault(2, {})
    for port, own in ports.items():
        merged = {**fields, **{name: own[name] for name in own if name not in _RUN_TIME_WINS}}
        for name in _RUN_TIME_WINS & own.keys():
            merged.setdefault(name, own[name])
        if "cnp_dscp" in merged:
            merged.pop("cnp_by_release", None)
        if merged:
            yield replace(base, port=port, **merged)


#: Fields that a setting at run time decides, where there is one.
_RUN_TIME_WINS = {"congestion_priorities"}


def _is_on(node: Node) -> bool:
    enabled = node.get("enabled")
    return enabled is not None and enabled.flag()


def _raw(item: Node) -> tuple[str, NicValue[str]]:
    name, value = item.get("name"), item.get("value")
    if name is None or value is None:
        raise item.wrong("a name with a value")
    return name.word(), NicValue(value.word(), value.line)


def _roce(roce: Node) -> Fields:
    """Return what RoCE optimisations set; what ``qos`` leaves out has the operator's default."""
    qos, line = roce.get("qos"), roce.line
    fields: Fields = {
        "cnp_by_release": NicValue(value=True, line=line),
        "cnp_priority": NicValue(6, line),
        "trust": NicValue("dscp", line),
        "pfc": NicValue(_DEFAULT_PFC, line),
        "dscp": NicValue(0, line),
    }
    for name, (field, read) in _QOS.items() if qos else ():
        part = qos.get(*name.split(".")) if qos else None
        if part:
            fields[field] = part.value(read)
    ecn = qos.get("ecn") if qos else None
    if ecn:
        priority = ecn.get("priority")
        numbers = {priority.number(PRIORITIES - 1)} if priority and _is_on(ecn) else set()
        fields["congestion_priorities"] = NicValue(frozenset(numbers), ecn.line)
    return fields


def _pfc(node: Node) -> frozenset[int]:
    word = node.word()
    if not _BITS.fullmatch(word):
        raise node.wrong('eight bits such as "0,0,0,1,0,0,0,0"')
    return frozenset(number for number, bit in enumerate(word.split(",")) if bit == "1")


def _trust(node: Node) -> str:
    word = node.word()
    if word not in ("dscp", "pcp", "pfc"):
        raise node.wrong("dscp, or pfc for priorities of VLAN tags")
    return "dscp" if word == "dscp" else "pcp"


_QOS: dict[str, tuple[str, Callable[[Node], Any]]] = {
    "trust": ("trust", _trust),
    "pfc": ("pfc", _pfc),
    "tos": ("dscp", lambda node: node.number(255) >> _ECN_BITS),
    "cableLen": ("cable_m", lambda node: node.number(65_535)),
    "pauseFrames.enabled": ("link_pause", Node.flag),
}


def release_of(version: str) -> str:
    """Return the release in a version such as ``network-operator-v26.7.0``; empty if in none."""
    match = _RELEASE.search(version)
    return match[1] if match else ""


def _cluster_policy(node: Node) -> Iterator[NicProfile]:
    """Yield the release of the operator; a policy without it says nothing of NICs."""
    for part in ("operator", "configurationDaemon"):
        version = node.get("spec", "nicConfigurationOperator", part, "version")
        if version is None:
            continue
        release = release_of(version.word())
        if release not in RELEASES:
            message = f"release {version.word()[:60]!r} of the Network Operator is not known"
            fix = f"use one of {', '.join(RELEASES)}, or leave the object out"
            raise refused(node.document.file, version.line, message, fix, version.field)
        yield NicProfile(
            form=_NAME,
            file=node.document.file,
            line=version.line,
            subject=_subject(node),
            release=NicValue(release, version.line),
        )
        return


def _node_policy(node: Node) -> Iterator[NicProfile]:
    mtu, roots = node.get("spec", "mtu"), node.get("spec", "nicSelector", "rootDevices")
    device = node.get("spec", "nicSelector", "deviceID")
    if mtu:
        yield NicProfile(
            form=_NAME,
            file=node.document.file,
            line=node.line,
            subject=_subject(node),
            device_id=device.word() if device else "",
            pci_addresses=_addresses(roots) if roots else frozenset(),
            mtu_bytes=mtu.value(lambda part: part.number(65_535)),
        )


def _config_map(node: Node) -> Iterator[NicProfile]:
    yield from profiles_of(inner_profile(node), _NAME)


_READERS: dict[tuple[str, str], Callable[[Node], Iterator[NicProfile]]] = {
    ("configuration.net.nvidia.com/v1alpha1", "NicConfigurationTemplate"): _template,
    ("configuration.net.nvidia.com/v1alpha1", "NicDevice"): _device,
    ("mellanox.com/v1alpha1", "NicClusterPolicy"): _cluster_policy,
    ("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy"): _node_policy,
    ("v1", "ConfigMap"): _config_map,
}
profile_forms.add(_NAME)(
    ProfileForm(
        "objects of the NIC Configuration Operator or the Network Operator",
        _matches,
        _read,
        names_nic=True,
    )
)
