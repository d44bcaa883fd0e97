"""The text format of Prometheus: figures of the last snapshot of every device.

Form and escapes: https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based format".
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.observe.families import Family
from fabric.observe.samples import samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.report.observed import Seen

_READ = Family("rocefab_device_read", "Whether the device could be read.", ("platform",))
_TIME = Family("rocefab_device_read_timestamp_seconds", "When it was read, Unix time.", ())
_UNKNOWN = Family(
    "rocefab_reading_unknown", "1 for each reading that could not be understood.", ("reading",)
)
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})


def exposition(seen: Iterable[Seen]) -> str:
    """Return the figures of devices in the text format of Prometheus.

    What could not be read is absent, as Prometheus expects it; no figure is made up.
    """
    lines: dict[Family, list[str]] = defaultdict(list)
    for one in seen:
        for family, labels, value in _figures(one):
            lines[family].append(line(family, one.device, labels, value))
    return "".join(
        block(family, rows) for family, rows in sorted(lines.items(), key=lambda item: item[0].name)
    )


def block(family: Family, rows: Sequence[str]) -> str:
    """Return the figures of a family with its heading; nothing where it has none."""
    if not rows:
        return ""
    kind = "counter" if family.is_counter else "gauge"
    heading = f"# HELP {family.name} {family.text}\n# TYPE {family.name} {kind}\n"
    return heading + "".join(rows)


def _figures(one: Seen) -> Iterator[tuple[Family, tuple[str, ...], float]]:
    yield _READ, (one.platform,), one.snapshot is not None
    if one.snapshot is None:
        return
    if one.time:
        yield _TIME, (), one.time.timestamp()
    yield from ((_UNKNOWN, (reading,), 1) for reading in one.unknown)
    yield from ((item.family, item.labels, item.value) for item in samples(one.snapshot))


def line(family: Family, device: str, labels: tuple[str, ...], value: float) -> str:
    """Return a figure of a device; labels that are empty count as absent."""
    pairs = zip(("device", *family.labels), (device, *labels), strict=True)
    inside = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in pairs)
    number = int(value) if float(value).is_integer() else value
    return f"{family.name}{{{inside}}} {number}\n"
