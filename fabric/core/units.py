"""Conversions between units; the only place that converts."""

from __future__ import annotations

#: What rounds to 100 and is not all is shown as this.
_NEARLY_ALL_PERCENT = 99.9
BITS_PER_BYTE = 8
MBPS_PER_GBPS = 1_000
GBPS_PER_TBPS = 1_000
BPS_PER_MBPS = 1_000_000
BPS_PER_GBPS = 1_000_000_000
PERCENT = 100
MS_PER_S = 1_000
S_PER_H = 3_600
S_PER_MIN = 60
US_PER_S = 1_000_000
NS_PER_S = 1_000_000_000
BYTES_PER_KB = 1_000
BYTES_PER_MB = 1_000_000
BYTES_PER_KIB = 1_024
KBPS_PER_GBPS = 1_000_000
#: Metres by units of length; a foot is 0.3048 m (international yard and pound agreement, 1959).
METRES = {"km": 1_000.0, "m": 1.0, "cm": 0.01, "mi": 1_609.344, "ft": 0.3048, "in": 0.0254}


def gbps_to_mbps(speed_gbps: int) -> int:
    """Return Mb/s for Gb/s."""
    return speed_gbps * MBPS_PER_GBPS


def gbps_to_bytes_per_s(speed_gbps: float) -> float:
    """Return bytes per second for Gb/s."""
    return speed_gbps * BPS_PER_GBPS / BITS_PER_BYTE


def bps_to_bytes_per_s(rate_bps: float) -> float:
    """Return bytes per second for bit/s."""
    return rate_bps / BITS_PER_BYTE


def mbps_to_bps(rate_mbps: float) -> float:
    """Return bit/s for Mb/s."""
    return rate_mbps * BPS_PER_MBPS


def gbps_to_bps(speed_gbps: float) -> float:
    """Return bit/s for Gb/s."""
    return speed_gbps * BPS_PER_GBPS


def percent_to_share(percent: float) -> float:
    """Return a share of one for percent."""
    return percent / PERCENT


def share_to_percent(share: float) -> float:
    """Return percent for a share of one."""
    return share * PERCENT


def percent_left(after: float, before: float) -> str:
    """Return how much is left, as text; what is not all is never 100 %."""
    if not before:
        return "-"
    rounded = round(share_to_percent(after / before), 1)
    return f"{rounded if after == before else min(rounded, _NEARLY_ALL_PERCENT):g} %"


def us_to_s(microseconds: float) -> float:
    """Return seconds for microseconds."""
    return microseconds / US_PER_S


def s_to_us(seconds: float) -> float:
    """Return microseconds for seconds."""
    return seconds * US_PER_S


def ms_to_s(milliseconds: int) -> float:
    """Return seconds for milliseconds."""
    return milliseconds / MS_PER_S


def s_to_min(seconds: float) -> float:
    """Return minutes for seconds."""
    return seconds / S_PER_MIN


def min_to_s(minutes: float) -> float:
    """Return seconds for minutes."""
    return minutes * S_PER_MIN


def s_to_ns(seconds: float) -> int:
    """Return whole nanoseconds for seconds."""
    return round(seconds * NS_PER_S)


def ns_to_s(nanoseconds: float) -> float:
    """Return seconds for nanoseconds."""
    return nanoseconds / NS_PER_S


def s_to_ms(seconds: float) -> float:
    """Return milliseconds for seconds."""
    return seconds * MS_PER_S


def ipv4_text(address: int) -> str:
    """Return dotted quad text of an IPv4 address given as an integer."""
    return f"{address >> 24 & 255}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def dscp_to_traffic_class_byte(dscp: int) -> int:
    """Return the IP traffic class byte (ToS) that carries a DSCP, ECN bits zero (RFC 2474)."""
    return dscp << 2


def bytes_to_kb(size_bytes: float) -> float:
    """Return kilobytes (1000 bytes) for bytes."""
    return size_bytes / BYTES_PER_KB


def bytes_to_mb(size_bytes: float) -> float:
    """Return megabytes (10^6 bytes) for bytes."""
    return size_bytes / BYTES_PER_MB


def kib_to_bytes(kibibytes: float) -> float:
    """Return bytes for kibibytes (1024 bytes)."""
    return kibibytes * BYTES_PER_KIB


def mib_to_bytes(mebibytes: float) -> float:
    """Return bytes for mebibytes (1024 kibibytes)."""
    return kib_to_bytes(mebibytes * BYTES_PER_KIB)


def gib_to_bytes(gibibytes: float) -> float:
    """Return bytes for gibibytes (1024 mebibytes)."""
    return mib_to_bytes(gibibytes * BYTES_PER_KIB)


def length_to_m(length: float, unit: str) -> float:
    """Return metres for a length in km, m, cm, mi, ft or in.

    Raises
    ------
    KeyError
        When the unit is none of these.
    """
    return length * METRES[unit]


def kbps_to_gbps(rate_kbps: float) -> float:
    """Return Gb/s for kb/s."""
    return rate_kbps / KBPS_PER_GBPS


def gbps_to_kbps(speed_gbps: int) -> int:
    """Return kb/s for Gb/s."""
    return speed_gbps * KBPS_PER_GBPS
