"""Outputs of ping, rping and ib_write_bw.

iputils/iputils, ping/ping_common.c (summary line); linux-rdma/rdma-core, librdmacm/examples/rping.c
(a line for each round with ``-v``); linux-rdma/perftest, src/perftest_parameters.h (columns of the
report with ``--report_gbits``).
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError

_SUMMARY = re.compile(
    r"^([0-9]{1,6}) packets transmitted, ([0-9]{1,6}) received,(?: \+[0-9]+ errors,)?"
    r" [0-9.]+% packet loss",
    re.MULTILINE,
)
_ROUND = re.compile(r"^ping data: rdma-ping-[0-9]{1,6}: ", re.MULTILINE)
_TITLE = re.compile(
    r"^ *#bytes +#iterations +BW peak\[Gb/sec\] +BW average\[Gb/sec\]", re.MULTILINE
)
_ROW = re.compile(
    r"^ *([0-9]{1,10}) +[0-9]{1,12} +[0-9.]{1,12}\s+([0-9]{1,6}(?:\.[0-9]{1,6})?)(?:\s|$)",
    re.MULTILINE,
)


def ping(text: str) -> tuple[int, int]:
    """Return how many packets were sent and how many came back.

    Raises
    ------
    UnreadableError
        When there is no summary, or several.
    """
    summaries = _SUMMARY.findall(text)
    if len(summaries) != 1:
        raise UnreadableError("ping printed no summary")
    return int(summaries[0][0]), int(summaries[0][1])


def rping(text: str) -> int:
    """Return how many rounds of an RDMA ping came back."""
    return len(_ROUND.findall(text))


def bandwidth_gbps(text: str, message_bytes: int) -> float:
    """Return the average rate in Gb/s for messages of a size.

    Raises
    ------
    UnreadableError
        When the report has no such row, or several.
    """
    title = _TITLE.search(text)
    rows = _ROW.findall(text, title.end()) if title else []
    rates = [rate for size, rate in rows if int(size) == message_bytes]
    if len(rates) != 1:
        raise UnreadableError("ib_write_bw printed no result")
    return float(rates[0])
