"""The text format of Prometheus: figures of the last snapshot of every device.

Form and escapes: https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based format".
The format wants all figures of a family in one block. So the text of one device is kept by family,
and texts of many devices are joined a family at a time, without a figure being formatted again.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.observe.families import Family
from fabric.observe.samples import samples

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from fabric.report.observed import Seen

    #: Family, values of its labels, and the figure.
    Figure = tuple[Family, tuple[str, ...], float]
    #: Lines of one device by family.
    Lines = Mapping[Family, str]

_READ = Family("rocefab_device_read", "Whether the device could be read.", ("platform",))
_TIME = Family("rocefab_device_read_timestamp_seconds", "When it was read, Unix time.", ())
_UNKNOWN = Family(
    "rocefab_reading_unknown", "1 for each reading that could not be understood.", ("reading",)
)
#: Media type of the text format.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Ours: ports with their queues and priorities of some twenty models.
_MOST_LABELS = 65_536
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})


def exposition(seen: Iterable[Seen]) -> str:
    """Return the figures of devices in the text format of Prometheus.

    What could not be read is absent, as Prometheus expects it; no figure is made up.
    """
    return "".join(blocks([device_lines(one) for one in seen]))


def device_lines(one: Seen) -> Lines:
    """Return the lines of one device by family."""
    return lines_of(one.device, figures(one))


def lines_of(device: str, of_device: Iterable[Figure]) -> Lines:
    """Return figures of one device as lines by family."""
    lines: dict[Family, list[str]] = defaultdict(list)
    name = device.translate(_ESCAPES)
    for family, labels, value in of_device:
        lines[family].append(_line(family, name, labels, value))
    return {family: "".join(rows) for family, rows in lines.items()}


def blocks(of_devices: Collection[Lines]) -> Iterator[str]:
    """Yield the block of each family, in the order of names, from the lines of many devices."""
    names = {family for lines in of_devices for family in lines}
    for family in sorted(names, key=lambda family: family.name):
        kind = "counter" if family.is_counter else "gauge"
        rows = "".join(lines[family] for lines in of_devices if family in lines)
        yield f"# HELP {family.name} {family.text}\n# TYPE {family.name} {kind}\n{rows}"


def figures(one: Seen) -> Iterator[Figure]:
    """Yield every figure of a reading, and whether the device could be read."""
    yield _READ, (one.platform,), one.snapshot is not None
    if one.snapshot is None:
        return
    if one.time:
        yield _TIME, (), one.time.timestamp()
    yield from ((_UNKNOWN, (reading,), 1) for reading in one.unknown)
    yield from ((item.family, item.labels, item.value) for item in samples(one.snapshot))


def _line(family: Family, device: str, labels: tuple[str, ...], value: float) -> str:
    """Return a line; the name of the device is escaped already."""
    number = int(value) if float(value).is_integer() else value
    return f'{family.name}{{device="{device}"{_inside(family.labels, labels)}}} {number}\n'


@lru_cache(maxsize=_MOST_LABELS)
def _inside(names: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Return labels as they are written: devices of one model have the same ports and queues."""
    pairs = zip(names, labels, strict=True)
    return "".join(f',{name}="{text.translate(_ESCAPES)}"' for name, text in pairs)
