"""Which class of a port sends next: strict ones first, the others by deficit round robin.

Shreedhar and Varghese, Efficient Fair Queueing Using Deficit Round Robin, IEEE/ACM Transactions on
Networking 4(3), 1996. In a round each class may send its quantum, which is in proportion to its
weight and at least a packet; a class that has nothing to send, or is paused, loses what is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Laws, Ports


@kernel
def pick(ports: Ports, laws: Laws, line: int) -> int:
    """Return the row of the class that sends next at a port; -1 when none has a packet.

    Each class says the size of its next packet in ``offer``; 0 is none.
    """
    waiting = 0
    for row in range(line, len(ports), laws[0].lines):
        if ports[row].offer == 0:
            ports[row].deficit = 0
        elif ports[row].quantum == 0:
            return row
        else:
            waiting += 1
    if waiting == 0:
        return -1
    row = ports[line].serving
    while ports[row].offer == 0 or ports[row].deficit < ports[row].offer:
        row += laws[0].lines
        if row >= len(ports):
            row = line
        if ports[row].offer > 0:
            ports[row].deficit += ports[row].quantum
    ports[row].deficit -= ports[row].offer
    ports[line].serving = row
    return row


@kernel
def next_frame(ports: Ports, laws: Laws, line: int) -> int:
    """Return the row of a class whose PFC frame waits at a port; -1 when none does."""
    if laws[0].classes == 1:
        return line if ports[line].frames > 0 else -1
    for row in range(line, len(ports), laws[0].lines):
        if ports[row].frames > 0:
            return row
    return -1
