"""The fabric as it is now, from files that other commands write.

`verify`, `drift`, `observe` and `cabling` say in JSON what is not as planned; no job goes there.
Hosts and leaves that a plan changes are in a change window.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from fabric.change.model import read_plan
from fabric.core.errors import InputError
from fabric.placement.engine.state import Condition, Health
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabric.topology.model import Fabric

#: Verdicts of `verify` on a NIC that keep jobs away from it.
_NIC_HEALTH = {"drops": Health.DRAINED, "unknown": Health.DEGRADED}
#: Verdicts of `cabling` under which a cable carries what the design says.
_GOOD_CABLES = {"ok", "unknown"}


def conditions_of(data: Any, fabric: Fabric, file: Path) -> Iterator[Condition]:
    """Yield what a file says of a fabric.

    Parameters
    ----------
    data : object
        Output of ``verify``, ``drift``, ``observe`` or ``cabling`` with ``--format json``.

    Raises
    ------
    InputError
        When it is of another form or fabric.
    """
    is_cabling = isinstance(data, dict) and isinstance(data.get("cables"), list)
    return _of_cabling(data, fabric) if is_cabling else _of_devices(data, fabric, file)


def _of_cabling(data: Any, fabric: Fabric) -> Iterator[Condition]:
    for cable in data["cables"]:
        verdict = str(cable.get("verdict", "")) if isinstance(cable, dict) else ""
        if not verdict or verdict in _GOOD_CABLES:
            continue
        for end in ("near", "far"):
            device, _, port = str(cable.get(end, "")).partition(" ")
            if subject := _port(fabric, device, port):
                yield Condition(subject, Health.DOWN, _line(f"cabling says {verdict[:40]}"))
                break


def _of_devices(data: Any, fabric: Fabric, file: Path) -> Iterator[Condition]:
    devices = data.get("devices") if isinstance(data, dict) else data
    if not isinstance(devices, list) or not all(
        isinstance(item, dict)
        and isinstance(item.get("device"), str)
        and ("ok" in item or isinstance(item.get("state"), dict))
        for item in devices
    ):
        raise InputError(
            f"{file}: not a state; write one by `rocefab verify --format json`, or cabling"
        )
    known = {*fabric.host_row, *fabric.switch_row}
    if devices and known.isdisjoint(item["device"] for item in devices):
        name = fabric.intent.fabric.name
        raise InputError(f"{file}: the fabric has none of its devices; write a state of {name}")
    for item in devices:
        if "state" in item:
            yield from _of_observed(item, fabric)
        elif not item["ok"]:
            yield from _of_device(item, fabric)


def _of_observed(item: dict[str, Any], fabric: Fabric) -> Iterator[Condition]:
    """Yield the ports and NICs that are down, of a device that `observe` read."""
    device = item["device"]
    down = (port for port, is_up in links_read(item["state"]).items() if not is_up)
    if device in fabric.host_row or device in fabric.switch_row:
        yield from observed(fabric, device, down, item.get("error"))


def links_read(state: Any) -> dict[str, bool]:
    """Return whether each port or NIC is up, of those of which the state in a record says so."""
    tables = map(state.get, ("interfaces", "nics")) if isinstance(state, dict) else ()
    return {
        str(port): facts["up"]
        for ports in tables
        for port, facts in (ports.items() if isinstance(ports, dict) else ())
        if isinstance(facts, dict) and isinstance(facts.get("up"), bool)
    }


def observed(
    fabric: Fabric, device: str, down: Iterable[str], error: object
) -> Iterator[Condition]:
    """Yield what a reading says of a device of a fabric.

    Parameters
    ----------
    down : iterable of str
        Ports that are down; those without a planned cable do not count.
    error : object
        Why it could not be read; false where it was.
    """
    for port in down:
        if subject := _port(fabric, device, port):
            yield Condition(subject, Health.DOWN, "observe: the port is down")
    if error:
        yield _unread(device, error)


def _of_device(item: dict[str, Any], fabric: Fabric) -> Iterator[Condition]:
    """Yield what is wrong: bad NICs take no job, other differences one where nothing is better."""
    device = item["device"]
    if device not in fabric.host_row and device not in fabric.switch_row:
        return
    for nic in _dicts(item.get("nics")):
        health = _NIC_HEALTH.get(str(nic.get("word")))
        subject = _port(fabric, device, str(nic.get("interface", "")))
        if health and subject:
            reason = _line(f"verify: {nic.get('reason', '')}")
            yield Condition(subject, health, reason, 1.0, nic["word"] == "unknown")
    if item.get("error") or item.get("ok") is None:
        yield _unread(device, item.get("error") or "nothing of it was checked")
    deviations = _dicts(item.get("deviations"))
    for one in deviations:  # as `fabric.change.expectation.Deviation`
        text = f"{one.get('subject', '')} {one.get('item', '')}: {one.get('message', '')}"
        about = str(one.get("item", ""))
        uplink = "" if one.get("unknown") else _session(fabric, device, about)
        subject = uplink or _port(fabric, device, about) or device
        health = Health.DOWN if uplink else Health.DEGRADED
        yield Condition(subject, health, _line(f"verify: {text}"), 1.0, bool(one.get("unknown")))
    drift = _dicts(item.get("drift"))
    if drift and not deviations:  # verify tells which port it is about
        path = drift[0].get("path", "")
        yield Condition(device, Health.DEGRADED, _line(f"{len(drift)} drifted: {path}"), 1.0)


def _unread(device: str, error: object) -> Condition:
    return Condition(device, Health.DEGRADED, _line(f"not read: {error}"), 1.0, is_unknown=True)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _port(fabric: Fabric, device: str, port: str) -> str:
    """Return the subject of a port that has a cable; empty for another text."""
    if device in fabric.host_row:
        known = port in {nic.interface for nic in nic_names(fabric, device)}
    elif device in fabric.switch_row:
        row = fabric.switch_row[device]
        number = fabric.switches.skus[row].port_numbers().get(port)
        nics = fabric.nics_of_leaf(row)
        known = number is not None and (
            fabric.uplink_at(row, number) is not None
            or bool((fabric.nics.port[nics] == number).any())
        )
    else:
        known = False
    return f"{device}:{port}" if known else ""


def _session(fabric: Fabric, device: str, peer: str) -> str:
    """Return the port of the BGP session with an address; without it the cable has no route."""
    try:
        address = int(ip_address(peer))
    except ValueError:
        return ""
    row, up = fabric.switch_row.get(device, -1), fabric.uplinks
    for mine, port, other in (
        (up.lower, up.lower_port, up.upper_address),
        (up.upper, up.upper_port, up.lower_address),
    ):
        for number in port[(mine == row) & (other == address)].tolist():
            return f"{device}:{fabric.port_name(row, number)}"
    return ""


def _line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)[:200]


def conditions_of_plan(file: Path, fabric: Fabric) -> Iterator[Condition]:
    """Yield the hosts and the leaves that a plan changes, as in a change window.

    Raises
    ------
    InputError
        When the file is no plan of this fabric.
    """
    plan = read_plan(file)
    if plan.fabric != fabric.intent.fabric.name:
        message = f"{file}: a plan of {plan.fabric!a}, not of {fabric.intent.fabric.name!a}"
        raise InputError(message)
    leaves = fabric.switches.names[: fabric.switches.leaf_count]
    for name in sorted({*fabric.host_row, *leaves}.intersection(plan.devices)):
        yield Condition(name, Health.WINDOW, "the plan changes it")
