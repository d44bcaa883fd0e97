"""Families of figures that a snapshot gives, by the rules of Prometheus.

Names, units and the ending ``_total``: https://prometheus.io/docs/practices/naming/. Each label has
a bounded set of values: ports, priorities, queues and pools of one device.

Counters of NICs: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst
(pauses, their duration in microseconds, discards), drivers/infiniband/hw/mlx5/counters.c (RoCE) and
drivers/infiniband/hw/bnxt_re/hw_counters.c (the same of Broadcom NICs).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Figures of one name, told apart by labels; the device is a label of each.

    There is one object of each family; it equals itself alone, so that it is a cheap key.

    Parameters
    ----------
    name : str
        With its unit; the name of a counter ends in ``_total``.
    text : str
        What it counts, for people.
    labels : tuple of str
        Names of the labels behind ``device``.
    """

    name: str
    text: str
    labels: tuple[str, ...]

    @property
    def is_counter(self) -> bool:
        """Whether it only rises until it is reset."""
        return self.name.endswith("_total")


_PORT, _WAY, _QUEUE = ("port",), ("port", "direction"), ("port", "queue")
_GROUP, _PRIORITY = ("port", "priority_group"), ("port", "priority", "direction")

UPTIME = Family("rocefab_device_uptime_seconds", "Time since the device started.", ())
PORT_UP = Family("rocefab_port_up", "Whether the link of a port is up.", _PORT)
BGP_UP = Family("rocefab_bgp_session_up", "Whether a BGP session is established.", ("peer",))
BGP_SECONDS = Family(
    "rocefab_bgp_session_established_seconds", "Time since a session was established.", ("peer",)
)
BGP_LOST = Family("rocefab_bgp_session_lost_total", "Times that a session was lost.", ("peer",))
LLDP = Family("rocefab_lldp_neighbours", "LLDP neighbours of a port.", _PORT)
TABLE_ENTRIES = Family("rocefab_table_entries", "Entries of a hardware table.", ("table",))
TABLE_LIMIT = Family("rocefab_table_entries_limit", "Size of a hardware table.", ("table",))

PFC_FRAMES = Family(
    "rocefab_pfc_pause_frames_total", "PFC pause frames of a port by priority.", _PRIORITY
)
PFC_SECONDS = Family(
    "rocefab_pfc_pause_seconds_total", "Time paused by PFC frames of a NIC port.", _PRIORITY
)
PORT_PFC_FRAMES = Family(
    "rocefab_port_pfc_pause_frames_total", "PFC pause frames of a port, all priorities.", _WAY
)
STORMS = Family("rocefab_pfc_watchdog_storms_total", "Storms that began on a queue.", _QUEUE)
STORMS_ENDED = Family(
    "rocefab_pfc_watchdog_storms_restored_total", "Storms that ended on a queue.", _QUEUE
)
STORM_DROPS = Family(
    "rocefab_pfc_watchdog_dropped_packets_total", "Packets dropped by the PFC watchdog.", _QUEUE
)
MARKS = Family("rocefab_ecn_marked_packets_total", "Packets that a queue marked.", _QUEUE)
PORT_MARKS = Family(
    "rocefab_port_ecn_marked_packets_total", "Packets that a port marked, all queues.", _PORT
)
QUEUE_PACKETS = Family("rocefab_queue_packets_total", "Packets that a queue sent.", _QUEUE)
QUEUE_DROPS = Family("rocefab_queue_dropped_packets_total", "Packets that a queue dropped.", _QUEUE)
QUEUE_PEAK = Family("rocefab_queue_watermark_bytes", "Most that a queue held.", _QUEUE)
GROUP_PACKETS = Family(
    "rocefab_priority_group_packets_total", "Packets that a priority group received.", _GROUP
)
GROUP_DROPS = Family(
    "rocefab_priority_group_dropped_packets_total", "Packets that a priority group dropped.", _GROUP
)
GROUP_PEAK = Family(
    "rocefab_priority_group_headroom_watermark_bytes",
    "Most that a priority group held in its headroom.",
    _GROUP,
)
GROUP_SHARED_PEAK = Family(
    "rocefab_priority_group_shared_watermark_bytes",
    "Most that a priority group held in the pool.",
    _GROUP,
)
POOL_PEAK = Family("rocefab_buffer_pool_watermark_bytes", "Most that a pool held.", ("pool",))
POOL_HEADROOM_PEAK = Family(
    "rocefab_buffer_pool_headroom_watermark_bytes", "Most that a shared headroom held.", ("pool",)
)

BYTES = Family("rocefab_port_bytes_total", "Bytes of a port.", _WAY)
PACKETS = Family("rocefab_port_packets_total", "Packets of a port.", _WAY)
ERRORS = Family("rocefab_port_errors_total", "Errors of a port.", _WAY)
DISCARDS = Family("rocefab_port_discarded_packets_total", "Packets discarded by a port.", _WAY)
FLAPS = Family("rocefab_port_carrier_changes_total", "Changes of the link of a port.", _PORT)
LINK_DOWNS = Family("rocefab_nic_link_downs_total", "Times that the link went down.", _PORT)
FEC_CORRECTED = Family(
    "rocefab_port_fec_corrected_codewords_total", "Codewords that FEC corrected.", _PORT
)
FEC_UNCORRECTED = Family(
    "rocefab_port_fec_uncorrected_codewords_total", "Codewords that FEC could not correct.", _PORT
)
FEC_SYMBOL_ERRORS = Family(
    "rocefab_port_fec_symbol_errors_total", "Symbol errors that FEC saw.", _PORT
)

OPTIC_POWER = Family(
    "rocefab_optic_power_dbm", "Optical power of a lane.", ("port", "lane", "direction")
)
OPTIC_TEMPERATURE = Family(
    "rocefab_optic_temperature_celsius", "Temperature of an optical module.", _PORT
)
BIT_ERRORS = Family(
    "rocefab_port_pre_fec_bit_error_ratio", "Share of bits that are wrong before FEC.", _PORT
)
TEMPERATURE = Family("rocefab_device_temperature_celsius", "Temperature of a sensor.", ("sensor",))

RECEIVED, SENT = "received", "sent"
#: Counters of switch ports by their names in a snapshot; systems differ in them.
PORT_COUNTERS: dict[str, tuple[Family, tuple[str, ...]]] = {
    **{
        f"{prefix}_{name}": (family, (way,))
        for prefix, way in (("rx", RECEIVED), ("in", RECEIVED), ("tx", SENT), ("out", SENT))
        for name, family in (
            ("bytes", BYTES),
            ("packets", PACKETS),
            ("errors", ERRORS),
            ("drops", DISCARDS),
            ("discards", DISCARDS),
            ("pfc_frames", PORT_PFC_FRAMES),
        )
    },
    "out_ecn_marked_packets": (PORT_MARKS, ()),
    "carrier_transitions": (FLAPS, ()),
    "fec_corrected": (FEC_CORRECTED, ()),
    "fec_uncorrected": (FEC_UNCORRECTED, ()),
    "fec_symbol_errors": (FEC_SYMBOL_ERRORS, ()),
}


def _nic(name: str, text: str) -> tuple[Family, tuple[str, ...]]:
    return Family(f"rocefab_nic_{name}_total", text, _PORT), ()


#: Counters of NICs by their names in the driver; pauses have a priority in the name.
NIC_COUNTERS: dict[str, tuple[Family, tuple[str, ...]]] = {
    "rx_bytes_phy": (BYTES, (RECEIVED,)),
    "tx_bytes_phy": (BYTES, (SENT,)),
    "rx_discards_phy": (DISCARDS, (RECEIVED,)),
    "tx_discards_phy": (DISCARDS, (SENT,)),
    "link_down_events_phy": (LINK_DOWNS, ()),
    "tx_pause_storm_error_events": _nic(
        "pause_storm_errors", "Times that the NIC paused so long that pausing was switched off."
    ),
    "np_ecn_marked_roce_packets": _nic(
        "ecn_marked_packets", "RoCE packets that arrived with an ECN mark."
    ),
    "np_cnp_sent": _nic("cnp_sent", "CNPs that the notification point sent."),
    "rp_cnp_handled": _nic("cnp_handled", "CNPs that the reaction point handled."),
    "rp_cnp_ignored": _nic("cnp_ignored", "CNPs that the reaction point ignored."),
    "out_of_sequence": _nic("out_of_sequence_packets", "Packets that arrived out of sequence."),
    "packet_seq_err": _nic("sequence_naks", "NAKs for a sequence error that arrived."),
    "local_ack_timeout_err": _nic("ack_timeouts", "Times that an acknowledgement was missing."),
    "rnr_nak_retry_err": _nic("rnr_naks", "Receiver-not-ready NAKs that arrived."),
    "roce_adp_retrans": _nic("adaptive_retransmissions", "Adaptive retransmissions of RoCE."),
    "out_of_buffer": _nic("out_of_buffer_drops", "Packets dropped without a receive buffer."),
}
#: The same by the names of bnxt_re; a NIC has one driver.
NIC_COUNTERS |= {
    "oos_drop_count": NIC_COUNTERS["out_of_sequence"],
    "seq_err_naks_rcvd": NIC_COUNTERS["packet_seq_err"],
    "to_retransmits": NIC_COUNTERS["local_ack_timeout_err"],
    "rnr_naks_rcvd": NIC_COUNTERS["rnr_nak_retry_err"],
}
