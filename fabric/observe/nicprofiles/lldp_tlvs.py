"""DCBX TLVs among what ``lldpctl -f json`` and ``-f json0`` do not decode.

lldpd/lldpd src/client/display.c (``display_custom_tlvs``: OUI, subtype and bytes in hexadecimal).
TLVs: IEEE 802.1Q-2018 annex D.2: OUI 00-80-C2, subtype 11 PFC (byte 2: enabled priorities), 12
application priorities (three bytes each: priority, selector; protocol), selector 5 a DSCP.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicProfile, NicValue, line_of
from fabric.observe.parsers import UnreadableError
from fabric.qos.dscps import DSCPS

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "lldp-tlvs"
_OUI, _PFC, _APP = "00,80,C2", "11", "12"
_UDP, _DSCP, _ROCE = 3, 5, 4791
_BYTES = re.compile(r"[0-9A-F]{2}(?:,[0-9A-F]{2})*")
_ENTRY = 3


def _matches(text: str) -> bool:
    return text.lstrip().startswith("{") and '"unknown-tlv' in text and '"lldp"' in text


def _read(text: str, file: str) -> list[NicProfile]:
    try:
        whole = parse_json(text)
    except ValueError:
        raise UnreadableError("it is not JSON, or not all of it") from None
    records = []
    for interface, seen in _interfaces(whole):
        fields: Fields = {}
        for subtype, content in _tlvs(seen):
            line = _line(text, interface, content)
            if subtype == _PFC:
                fields["pfc"] = _paused(content, line)
            elif subtype == _APP:
                fields |= _marks(content, line)
        if fields:
            line = _line(text, interface)
            records.append(NicProfile(form=_NAME, file=file, line=line, nic=interface, **fields))
    if not records:
        raise UnreadableError("no neighbour in it has TLVs of DCBX (IEEE 802.1Qaz)")
    return records


def _interfaces(whole: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and content of each interface, in either of the two forms."""
    root = _first(whole.get("lldp")) if isinstance(whole, dict) else None
    rows = root.get("interface", []) if isinstance(root, dict) else []
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, dict):
            raise UnreadableError("an interface in it is not an object")
        if isinstance(row.get("name"), str):
            yield row["name"], row
        else:
            yield from row.items()


def _tlvs(seen: Any) -> Iterator[tuple[str, bytes]]:
    """Yield subtype and content of each TLV of IEEE 802.1."""
    groups = _first(seen.get("unknown-tlvs", {})) if isinstance(seen, dict) else {}
    rows = groups.get("unknown-tlv", []) if isinstance(groups, dict) else []
    for row in rows if isinstance(rows, list) else [rows]:
        if isinstance(row, dict) and row.get("oui") == _OUI:
            value = str(row.get("value", "")).upper()
            if not _BYTES.fullmatch(value):
                raise UnreadableError(f"a TLV holds {value[:20]!a}")
            yield str(row.get("subtype")), bytes.fromhex(value.replace(",", ""))


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _paused(content: bytes, line: int) -> NicValue[frozenset[int]]:
    if len(content) != len(("capabilities", "enabled")):
        raise UnreadableError("the PFC TLV has not two bytes")
    return NicValue(frozenset(bit for bit in range(PRIORITIES) if content[1] >> bit & 1), line)


def _marks(content: bytes, line: int) -> Fields:
    """Return the priorities of DSCPs and of RoCE; the first byte is reserved."""
    entries = content[1:]
    if len(entries) % _ENTRY:
        raise UnreadableError("the application priority TLV is cut")
    marks: dict[int, NicValue[int]] = {}
    fields: Fields = {"dscp_to_priority": marks}
    for start in range(0, len(entries), _ENTRY):
        head, protocol = entries[start], int.from_bytes(entries[start + 1 : start + _ENTRY], "big")
        priority, selector = NicValue(head >> 5, line), head & 7
        if selector == _DSCP and protocol < DSCPS:
            marks[protocol] = priority
        elif selector == _UDP and protocol == _ROCE:
            fields["priority"] = priority
    return fields


def _line(text: str, interface: str, content: bytes | None = None) -> int:
    start = max(text.find(f'"{interface}"'), 0)
    if content is not None:
        start = max(text.find(",".join(f"{byte:02X}" for byte in content), start), start)
    return line_of(text, start)


profile_forms.add(_NAME)(
    ProfileForm("DCBX TLVs in lldpctl -f json", _matches, _read, names_nic=True)
)
