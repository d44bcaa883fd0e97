"""Classes, queues, priority groups, the watchdog, and the hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.lossless import Marking, Use, Value, Watchdog
from fabric.observe.configuration.numbering import number_classes
from fabric.systems.sonic.config_db import number
from fabric.systems.sonic.ownership import REFERENCES
from fabric.systems.sonic.reading_lossless.model import READER, numbers_of

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import PortPolicy
    from fabric.systems.sonic.reading_lossless.model import DumpedSwitch, DumpRow

_HASH = {
    "SRC_IP": "src-ip",
    "DST_IP": "dst-ip",
    "L4_SRC_PORT": "src-port",
    "L4_DST_PORT": "dst-port",
}


@READER.means("defined")
def _defined(device: DumpedSwitch, row: DumpRow) -> None:
    device.switch.defined.append(Use(row.table, row.key, row.line))


@READER.means("classes")
def _classes(device: DumpedSwitch, row: DumpRow) -> None:
    """Read which classes are lossless, and which DSCPs and queues belong to them."""
    everywhere = device.dump.rows(row.table).get("global")
    own = row if "dscp_to_tc_map" in row.fields else everywhere
    for port in device.ports(row):
        if "pfc_enable" in row.fields:
            port.pfc = dict.fromkeys(numbers_of(row.fields["pfc_enable"]), row.line)
        if own and own.fields.get("dscp_to_tc_map"):
            port.trusts_dscp = True
            port.dscp_to_class = device.dump.referred_map(own, "dscp_to_tc_map")
            if named := device.dump.referred(own, "dscp_to_tc_map"):
                port.dscp_lines = dict.fromkeys(port.dscp_to_class, named.line)
        port.trusts_pcp = "dot1p_to_tc_map" in row.fields
        if "tc_to_queue_map" in row.fields:
            port.class_to_queue = device.dump.referred_map(row, "tc_to_queue_map")
        port.pause_to_queue = device.dump.referred_map(row, "pfc_to_queue_map")
        number_classes(port)
        _uses(device, row, "dscp_to_tc_map", "tc_to_queue_map")
    if row.key == "global":
        _uses(device, row, "dscp_to_tc_map")


def _uses(device: DumpedSwitch, row: DumpRow, *fields: str) -> None:
    """Note the names that a row has of rows of other tables."""
    names = ((REFERENCES[name], row.fields[name]) for name in fields if name in row.fields)
    device.switch.used += [Use(table, name, row.line) for table, name in names]


@READER.means("queue")
def _queue(device: DumpedSwitch, row: DumpRow) -> None:
    """Read marking and service of each egress queue."""
    for port in device.ports(row):
        for queue in row.indices:
            _uses(device, row, "wred_profile", "scheduler")
            if "wred_profile" in row.fields:
                port.markings[queue] = _marking(device, row)
            if "scheduler" in row.fields:
                _service(device, port, queue, row)


def _marking(device: DumpedSwitch, row: DumpRow) -> Marking:
    profile = device.dump.referred(row, "wred_profile")
    fields = profile.fields if profile else {}
    kmin, kmax = (number(fields.get(f"green_{part}_threshold")) for part in ("min", "max"))
    chance = number(fields.get("green_drop_probability"))
    marks = fields.get("ecn", "ecn_none") in ("ecn_all", "ecn_green", "ecn_green_yellow")
    return Marking((profile and profile.line) or row.line, kmin, kmax, chance, marks)


def _service(device: DumpedSwitch, port: PortPolicy, queue: int, row: DumpRow) -> None:
    scheduler = device.dump.referred(row, "scheduler")
    where = (scheduler and scheduler.line) or row.line
    weight = number(scheduler.fields.get("weight")) if scheduler else None
    if scheduler and scheduler.fields.get("type") == "STRICT":
        port.strict[queue] = where
    elif weight is not None:
        port.percent[queue] = Value(weight, where)


@READER.means("group")
def _group(device: DumpedSwitch, row: DumpRow) -> None:
    """Read headroom and threshold of priority groups whose profile has them in the file."""
    profile = device.dump.referred(row, "profile")
    fields = profile.fields if profile else {}
    xoff, alpha = number(fields.get("xoff")), number(fields.get("dynamic_th"))
    for port in device.ports(row):
        if xoff:
            port.headroom_bytes.update(dict.fromkeys(row.indices, Value(xoff, row.line)))
        if alpha is not None:
            port.dynamic_th.update(dict.fromkeys(row.indices, Value(alpha, row.line)))


@READER.means("watchdog")
def _watchdog(device: DumpedSwitch, row: DumpRow) -> None:
    detection_ms = number(row.fields.get("detection_time"))
    of_all = device.dump.rows(row.table).get("GLOBAL")
    for port in device.ports(row) if detection_ms is not None else ():
        port.watchdog = Watchdog(
            row.line,
            action=row.fields.get("action", ""),
            detection_ms=detection_ms,
            restoration_ms=number(row.fields.get("restoration_time")),
            poll_ms=number(of_all.fields.get("POLL_INTERVAL")) if of_all else None,
        )


@READER.means("hash")
def _hash(device: DumpedSwitch, row: DumpRow) -> None:
    """Read what chooses between equal paths, where the row tells."""
    fields = device.dump.tables[row.table][row.key].get("ecmp_hash")
    if row.key == "GLOBAL" and isinstance(fields, list):
        known = {_HASH[name] for name in _HASH if name in fields}
        device.switch.hash_fields = known or None
