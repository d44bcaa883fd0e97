"""Numbers that were written with a unit, or as the name of a code point."""

from __future__ import annotations

import re
from fractions import Fraction

from fabric.core import units

#: Sizes of units in the unit of a field, by the end of its name.
_UNITS: dict[str, dict[str, Fraction]] = {
    "bytes": {
        "b": Fraction(1),
        "byte": Fraction(1),
        "bytes": Fraction(1),
        "kb": Fraction(units.BYTES_PER_KB),
        "mb": Fraction(units.BYTES_PER_MB),
        "kib": Fraction(units.BYTES_PER_KIB),
        "mib": Fraction(units.BYTES_PER_KIB**2),
    },
    "gbps": {
        **dict.fromkeys(("g", "gb/s", "gbit/s", "gbps", "ge"), Fraction(1)),
        **dict.fromkeys(("t", "tb/s", "tbit/s", "tbps"), Fraction(units.GBPS_PER_TBPS)),
        **dict.fromkeys(("m", "mb/s", "mbit/s", "mbps"), Fraction(1, units.MBPS_PER_GBPS)),
    },
    "mib": {"mib": Fraction(1), "gib": Fraction(units.BYTES_PER_KIB)},
    "percent": {"%": Fraction(1), "percent": Fraction(1)},
    "m": {name: Fraction(str(length)) for name, length in units.METRES.items()},
}
_SECONDS = {
    "ns": Fraction(1, units.NS_PER_S),
    "us": Fraction(1, units.US_PER_S),
    "ms": Fraction(1, units.MS_PER_S),
    "s": Fraction(1),
    "min": Fraction(units.S_PER_MIN),
    "h": Fraction(units.S_PER_H),
}
_UNITS |= {
    own: {name: length / _SECONDS[own] for name, length in _SECONDS.items()}
    for own in ("ns", "us", "ms", "s")
}
_WRITTEN = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z/%]{1,7})")
#: Names of code points (RFC 2474, RFC 2597 and RFC 3246).
CODE_POINTS = {
    "ef": 46,
    **{f"cs{number}": number << 3 for number in range(8)},
    **{f"af{group}{drop}": (group << 3) + 2 * drop for group in range(1, 5) for drop in (1, 2, 3)},
}

#: An AS number of four octets as two of two (asdot and asdot+, RFC 5396).
_ASDOT = re.compile(r"([0-9]{1,5})\.([0-9]{1,5})")
_HALVES = 1 << 16
_ASPLAIN = "what stands before the dot x 65536 + what stands behind it (RFC 5396)"

#: Units as sentences have them, by the end of the name of a field.
_WORDS = {"gbps": "Gb/s", "m": "metres", "mib": "MiB", "us": "microseconds", "ns": "nanoseconds"}
_THOUSANDS = {"kb": "; 1 kB is 1,000 bytes", "mb": "; 1 MB is 1,000,000 bytes"}


def number_for(field: str, value: object, kind: str = "field") -> tuple[int, str] | None:
    """Return the number that a text with a unit or the name of a DSCP means, and its unit.

    Parameters
    ----------
    field : str
        Name of the field; its end is its unit.
    kind : str
        What it is: ``field`` or ``option``.

    Returns
    -------
    tuple of int and str, or None
        The number and a sentence about its unit; None where no whole number is meant.

    Examples
    --------
    >>> number_for("kmin_bytes", "150kB")
    (150000, 'the field is in bytes, without a unit; 1 kB is 1,000 bytes')
    >>> number_for("detection_ms", "2 s")
    (2000, 'the field is in ms, without a unit')
    >>> number_for("roce_dscp", "AF31")
    (26, 'AF31 is a name for it')
    """
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if "asn" in field.split("_"):
        return _of_asdot(text)
    if "dscp" in field:
        number = CODE_POINTS.get(text)
        return None if number is None else (number, f"{text.upper()} is a name for it")
    ending, match = field.rpartition("_")[2], _WRITTEN.fullmatch(text)
    size = _UNITS.get(ending, {}).get(match[2]) if match else None
    if match is None or size is None or (whole := Fraction(match[1]) * size).denominator != 1:
        return None
    more = _THOUSANDS.get(match[2], "") if ending == "bytes" else ""
    return int(whole), f"the {kind} is in {_WORDS.get(ending, ending)}, without a unit{more}"


def _of_asdot(text: str) -> tuple[int, str] | None:
    """Return the AS number that two numbers with a dot mean (RFC 5396)."""
    match = _ASDOT.fullmatch(text)
    high, low = map(int, match.groups()) if match else (_HALVES, _HALVES)
    return None if max(high, low) >= _HALVES else (high * _HALVES + low, _ASPLAIN)


def asplain_fix(field: str, value: object) -> str:
    """Return what to write where an AS number has a dot and no quotes; else nothing.

    Which number is meant is not known then: 65000.10 is the number 65000.1.
    """
    return (
        f"use one number: {_ASPLAIN}"
        if isinstance(value, float) and "asn" in field.split("_")
        else ""
    )
