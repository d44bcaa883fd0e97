"""Spectrum-X profiles: keys of the firmware by mode and device, and settings at run time.

Mellanox/nic-configuration-operator, pkg/types/spectrumx.go (``mlxConfig``, ``runtimeConfig``) and
bindata/spectrum-x/RA1.3.yaml to RA2.2.yaml of branch network-operator-26.4.x (paths of the DMS).
From 26.7 on a profile is a ConfigMap; the other form, which 26.10 brings, is not public.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.nicprofiles import refused
from fabric.observe.nicprofiles.nvconfig import values_of_ports
from fabric.observe.nicprofiles.objects import Node, objects
from fabric.observe.nicprofiles.record import Fields, NicProfile, NicValue

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTS = {"mlxConfig", "runtimeConfig", "useSoftwareCCAlgorithm", "docaCCVersion"}
_BASE = "/interfaces/interface/nvidia/"
_TRUST, _PFC = f"{_BASE}qos/config/trust-mode", f"{_BASE}qos/config/pfc"
_OUT_OF_ORDER = f"{_BASE}roce/config/adaptive-routing-force"
#: Slot 15 of congestion control is DCQCN, by the name of its parameter in every profile.
_DCQCN = f"{_BASE}cc/slot[id=15]/config/enabled"
#: Eight bits, that of priority 0 first.
_BITS = re.compile("[01]{8}")
_GROUPS = ("roce", "adaptiveRouting", "congestionControl")


def is_profile(node: Node) -> bool:
    """Tell whether a document is a profile."""
    return bool(node.get("mlxConfig") or node.get("runtimeConfig"))


def profiles_of(whole: Node, form: str) -> Iterator[NicProfile]:
    """Yield what a profile says: one record for run time, and one for each device and mode.

    Raises
    ------
    InputError
        When it has a part that no profile is known to have.
    """
    file = whole.document.file
    strange = next((str(name) for name in whole.data if name not in _PARTS), "")
    if strange:
        message = f"this Spectrum-X profile has {strange[:40]!r}, which no known version has"
        raise refused(file, whole.line, message, "use a profile with mlxConfig and runtimeConfig")
    fields = _run_time(whole)
    if fields:
        line = next(iter(fields.values())).line
        subject = "Spectrum-X profile, runtimeConfig"
        yield NicProfile(form=form, file=file, line=line, subject=subject, **fields)
    modes = whole.get("mlxConfig")
    for mode in modes.data if modes and isinstance(modes.data, dict) else ():
        devices = whole.get("mlxConfig", mode)
        for device in devices.data if devices and isinstance(devices.data, dict) else ():
            yield from _firmware(whole, str(mode), device, form)


def _firmware(whole: Node, mode: str, device: str | int, form: str) -> Iterator[NicProfile]:
    node = whole.get("mlxConfig", mode, device, "postBreakout")
    if node is None or not isinstance(node.data, dict):
        return
    parts = ((name, node.get(name)) for name in node.data)
    keys = {str(name): part.value(Node.word) for name, part in parts if part}
    for port, fields in values_of_ports(keys, whole.document.file).items():
        yield NicProfile(
            form=form,
            file=whole.document.file,
            line=node.line,
            subject=f"Spectrum-X profile, mlxConfig {mode} {device}",
            device_id=str(device),
            port=port,
            **fields,
        )


def _run_time(whole: Node) -> Fields:
    fields: Fields = {}
    for group in _GROUPS:
        node = whole.get("runtimeConfig", group)
        for item in node.items() if node else ():
            path, value = item.get("dmsPath"), item.get("value")
            if path and value:
                fields |= _setting(path.word(), value)
    return fields


def _setting(path: str, value: Node) -> Fields:
    """Return the field that a setting fills; most fill none."""
    word, line = str(value.data).lower(), value.line
    if path == _TRUST:
        if word not in ("dscp", "pcp"):
            raise value.wrong("dscp or pcp")
        return {"trust": NicValue(word, line)}
    if path == _PFC:
        if not _BITS.fullmatch(word):
            raise value.wrong("eight bits such as 00010000, in quotes")
        bits = frozenset(number for number, bit in enumerate(word) if bit == "1")
        return {"pfc": NicValue(bits, line)}
    if path == _OUT_OF_ORDER:
        return {"out_of_order": NicValue(word == "true", line)}
    if path == _DCQCN:
        return {"algorithm": NicValue("dcqcn" if word == "true" else "programmable", line)}
    return {}


def inner_profile(node: Node) -> Node:
    """Return the profile that a ConfigMap holds as text, with lines of the whole file.

    Raises
    ------
    InputError
        When it is no profile of a form that is known.
    """
    text = node.get("data", "profile")
    file = node.document.file
    if text is None or not isinstance(text.data, str):
        message = "this ConfigMap has no data.profile; other forms of profiles are not read"
        raise refused(file, node.line, message, "use a profile with mlxConfig and runtimeConfig")
    padded = "\n" * text.line + text.data
    inner = next(objects(padded, file), None)
    if inner is None or not is_profile(inner):
        message = "this ConfigMap holds no Spectrum-X profile of a form that is known"
        fix = "use a profile with mlxConfig and runtimeConfig"
        raise refused(file, text.line, message, fix, text.field)
    return inner
