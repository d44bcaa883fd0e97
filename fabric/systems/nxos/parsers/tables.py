"""JSON bodies of NX-API: a table holds one row as an object and several as a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import as_number, mac_address
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    MacEntry,
    NeighbourEntry,
    SystemFacts,
    by_address,
)
from fabric.systems.nxos.parsers.text import is_off

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SPEED = re.compile(r"(\d+(?:\.\d+)?) ([MG])b/s")
_DOTTED_MAC = re.compile(r"[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)")
#: Begin of a port that is named in short.
_SHORT_PORT = re.compile(r"^Eth(?=\d)")
_UPTIME_S = {"days": 86_400, "hrs": 3_600, "mins": 60, "secs": 1}
_COUNTERS = {
    "in_bytes": "eth_inbytes",
    "in_packets": "eth_inpkts",
    "in_errors": "eth_inerr",
    "in_discards": "eth_indiscard",
    "in_pause_frames": "eth_inpause",
    "in_crc_errors": "eth_crc",
    "out_bytes": "eth_outbytes",
    "out_packets": "eth_outpkts",
    "out_errors": "eth_outerr",
    "out_discards": "eth_outdiscard",
    "out_pause_frames": "eth_outpause",
}


def _body(text: str) -> dict[str, Any]:
    try:
        data = parse_json(text)
    except ValueError as error:
        raise UnreadableError("the answer is not JSON") from error
    if not isinstance(data, dict):
        raise UnreadableError("the answer is not a JSON object")
    return data


def rows(holder: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the rows of ``TABLE_name``; none when the table is absent.

    Raises
    ------
    UnreadableError
        When the table has another shape.
    """
    table = holder.get(f"TABLE_{name}")
    if table is None:
        return []
    values = table.get(f"ROW_{name}") if isinstance(table, dict) else None
    listed = [values] if isinstance(values, dict) else values
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        raise UnreadableError(f"TABLE_{name} of the answer has no rows")
    return listed


def _needed(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    if f"TABLE_{name}" not in body:
        raise UnreadableError(f"no TABLE_{name} in the answer")
    return rows(body, name)


def _word(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        raise UnreadableError(f"a row of the answer has no {key!r}")
    return str(value).strip()


def _number(row: Mapping[str, Any], key: str) -> int:
    word = _word(row, key)
    if not word.isdecimal():
        raise UnreadableError(f"{key!r} of the answer is {word!r}, not a number")
    return int(word)


def system_facts(text: str) -> SystemFacts:
    """Parse ``show version`` in JSON, or raise UnreadableError."""
    body = _body(text)
    version = body.get("nxos_ver_str") or body.get("kickstart_ver_str") or body.get("sys_ver_str")
    return SystemFacts(
        hostname=_word(body, "host_name"),
        model=_word(body, "chassis_id"),
        version=str(version or ""),
        serial=str(body.get("proc_board_id", "")),
        uptime_s=_uptime_s(body),
    )


def _uptime_s(body: Mapping[str, Any]) -> float | None:
    if not all(f"kern_uptm_{part}" in body for part in _UPTIME_S):
        return None
    return float(
        sum(_number(body, f"kern_uptm_{part}") * size_s for part, size_s in _UPTIME_S.items())
    )


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Parse ``show interface`` in JSON, or raise UnreadableError."""
    return dict(_interface(row) for row in _needed(_body(text), "interface"))


def _interface(row: Mapping[str, Any]) -> tuple[str, InterfaceState]:
    name = _word(row, "interface")
    svi = "svi_admin_state" in row
    state = _word(row, "svi_line_proto" if svi else "state")
    admin = row.get("svi_admin_state" if svi else "admin_state")
    mtu = row.get("svi_mtu" if svi else "eth_mtu")
    speed = _SPEED.fullmatch(str(row.get("eth_speed", "")))
    return name, InterfaceState(
        up=state == "up",
        enabled=None if admin is None else admin == "up",
        speed_gbps=float(speed[1]) / (1000 if speed[2] == "M" else 1) if speed else None,
        mtu_bytes=None if mtu is None else _number({"mtu": mtu}, "mtu"),
        description=str(row.get("desc", "")).strip('"'),
        counters={
            counter: _number(row, key)
            for counter, key in _COUNTERS.items()
            if str(row.get(key, "")).strip()
        },
    )


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show bgp all summary vrf all`` in JSON: unicast of the default VRF.

    A session with routes of both families stands in both tables.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    peers: dict[str, BgpPeer] = {}
    for row in () if is_off(text) else _default_unicast(_body(text)):
        state = _word(row, "state")
        asn = as_number(_word(row, "neighboras"))
        session = _SHORT_PORT.sub("Ethernet", _word(row, "neighborid"))
        peers[session] = BgpPeer(state == "Established", state, asn)
    return peers


def _default_unicast(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for vrf in _needed(body, "vrf"):
        for family in rows(vrf, "af") if _word(vrf, "vrf-name-out") == "default" else ():
            for sub in rows(family, "saf"):
                if sub.get("af-name") in {"IPv4 Unicast", "IPv6 Unicast"}:
                    yield from rows(sub, "neighbor")


def arp_entries(text: str) -> dict[str, NeighbourEntry]:
    """Parse ``show ip arp vrf all`` in JSON: incomplete entries are left out.

    The table is one of all VRFs (``IP ARP Table for all contexts``, genieparser ``ShowIpArp``), or
    one of each.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON, or has not as many rows as it says.
    """
    entries = []
    for vrf in _needed(_body(text), "vrf"):
        listed = rows(vrf, "adj")
        if "cnt-total" in vrf and len(listed) != _number(vrf, "cnt-total"):
            raise UnreadableError("the ARP table has not as many rows as it says")
        for row in listed:
            mac = _word(row, "mac")
            if mac.upper() != "INCOMPLETE":
                entry = NeighbourEntry(
                    mac_address(mac, _DOTTED_MAC),
                    _word(row, "intf-out"),
                    _age_s(_word(row, "time-stamp")),
                )
                entries.append((_word(row, "ip-addr-out"), entry))
    return by_address(entries)


def _age_s(text: str) -> float | None:
    """Return an age: hours, minutes and seconds, or ``-`` for what never ages."""
    clock = _CLOCK.fullmatch(text)
    if clock:
        return int(clock[1]) * 3600.0 + int(clock[2]) * 60 + int(clock[3])
    if re.fullmatch(r"\d+\.\d+", text):
        return float(text)
    if text == "-":
        return None
    raise UnreadableError(f"{text!r} is not an age")


def mac_entries(text: str) -> tuple[MacEntry, ...]:
    """Parse ``show mac address-table`` in JSON: what was learnt, not the switch's own addresses.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    items = []
    for row in _needed(_body(text), "mac_address"):
        vlan, kind = _word(row, "disp_vlan"), _word(row, "disp_type")
        if "G" in kind or not vlan.isdecimal():
            continue
        age = _word(row, "disp_age")
        items.append(
            MacEntry(
                int(vlan),
                mac_address(_word(row, "disp_mac_addr"), _DOTTED_MAC),
                _word(row, "disp_port"),
                float(age) if age.isdecimal() else None,
            )
        )
    return tuple(items)
