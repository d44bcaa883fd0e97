"""The words of iproute2's ``dcb``: pairs of key and value, as its manual pages write them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.design.qos import BEST_EFFORT, DSCP_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.host_model import NicDesign
    from fabric.design.qos_model import HostQos

_ROW = 16


@dataclass(frozen=True, slots=True)
class DcbWords:
    """Arguments of ``dcb app``, ``ets``, ``pfc`` and ``buffer`` for one NIC.

    Every DSCP stands in ``dscp_rows``: what is not RoCE data or a CNP is best effort, as on the
    switches. Elements of the other arrays that are not named keep their value, so ``all:`` stands
    before them.
    """

    dscp_rows: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]
    algorithms: tuple[str, ...]
    shares: tuple[str, ...]
    pauses: tuple[str, ...]
    buffer_sizes: tuple[str, ...]
    buffers: tuple[str, ...]


def dcb_words(nic: NicDesign) -> DcbWords:
    """Return the words of a NIC."""
    return _words(nic.qos, nic.receive_buffer_bytes, nic.priority_to_receive_buffer)


@lru_cache(64)  # a fabric has a handful of policies
def _words(qos: HostQos, sizes_bytes: tuple[int, ...], buffers: tuple[int, ...]) -> DcbWords:
    marks = qos.marks
    pairs = _pairs(marks.get(dscp, BEST_EFFORT) for dscp in range(DSCP_COUNT))
    return DcbWords(
        dscp_rows=tuple(pairs[row : row + _ROW] for row in range(0, DSCP_COUNT, _ROW)),
        classes=_pairs(qos.priority_to_traffic_class),
        algorithms=("all:ets", *_unlike(qos.tsa, "ets")),
        shares=("all:0", *_unlike(qos.tc_bandwidth_percent, 0)),
        pauses=("all:off", *(f"{number}:on" for number, bit in enumerate(qos.pfc) if bit)),
        buffer_sizes=("all:0", *_unlike(sizes_bytes, 0)),
        buffers=("all:0", *_unlike(buffers, 0)),
    )


def _pairs(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(f"{number}:{value}" for number, value in enumerate(values))


def _unlike(values: Iterable[object], usual: object) -> tuple[str, ...]:
    return tuple(f"{number}:{value}" for number, value in enumerate(values) if value != usual)
