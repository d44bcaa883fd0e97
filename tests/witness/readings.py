"""What two texts of one switch are read to, without the numbers of their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from fabric.observe.configuration.lossless import Lossless, PortPolicy, Use, Value
from fabric.observe.configuration.vrfs import ConfiguredEvpn

#: Fields whose values are lines, by what they hold.
_LINES = {"pfc", "strict", "everywhere", "vlans"}
#: Fields that say where something stands, or that say nothing of the configuration.
_PLACES = {
    *("line", "leftovers", "undecided", "file", "global_lines"),
    *("vrf_line", "vni_line", "source_line", "dscp_lines"),
}
#: Fields that a switch shows although no line of ours says them.
_SHOWN_DEFAULTS = (".speed_gbps",)
#: VLAN that every switch has.
_DEFAULT_VLAN = 1
#: Fields whose order says nothing.
_SETS = {"defined", "used", "originations", "addresses", "tagged_vlans", "static_routes"}


def plain(value: Any) -> Any:
    """Return a reading as plain data, without lines."""
    if isinstance(value, Value):
        return value.value
    if isinstance(value, Use):
        return (value.kind, value.name)
    if isinstance(value, ConfiguredEvpn):
        value = replace(value, peers=dict.fromkeys(value.peers, 0))
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _field(name, getattr(value, name)) for name in _names(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields if name != "line"}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def _names(value: Any) -> Iterator[str]:
    """Yield the fields that all systems share: what a system adds is about lines."""
    shared = next((one for one in (Lossless, PortPolicy) if isinstance(value, one)), value)
    return (item.name for item in fields(shared) if item.name not in _PLACES)


def _field(name: str, value: Any) -> Any:
    if name in _LINES and isinstance(value, Mapping):
        return {key for key in value if name != "vlans" or key != _DEFAULT_VLAN}
    if name == "negotiated":
        return value is not None
    if name in _SETS:
        return sorted({repr(plain(inner)) for inner in value})
    return plain(value)


def differences(first: Any, second: Any, path: str = "") -> Iterator[str]:
    """Yield what two readings as plain data do not share."""
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in [*first, *(key for key in second if key not in first)]:
            yield from differences(first.get(key), second.get(key), f"{path}.{key}")
    elif not (first is None and path.endswith(_SHOWN_DEFAULTS)):
        yield f"{path}: {first!r} is shown as {second!r}"
