"""How soon BGP notices a dead path, and policies that do not exist."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.observe.configuration import readers
from fabric.prove.policies import undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longest hold time that is accepted without BFD, in seconds: RFC 7938 section 7.1 asks for less
#: than the 90 s of RFC 4271; 30 s is our choice.
MOST_HOLD_S = 30


def judge(system: str, text: str) -> Iterator[Fault]:
    """Yield what is wrong with BGP in the configuration of one switch.

    Parameters
    ----------
    system : str
        Switch system that the text is written for; without a reader nothing is judged.
    """
    if system not in readers:
        return
    configured = readers[system](defaultdict(lambda: text))
    for peer in configured.bgp.peers.values() if configured.bgp else ():
        if peer.bfd or (peer.hold_s is not None and 0 < peer.hold_s <= MOST_HOLD_S):
            continue
        hold = f"{peer.hold_s} s" if peer.hold_s else "that of the system, 90 s or more"
        message = f"BGP session {peer.session}: no BFD, and the hold time is {hold}"
        yield Fault("AUD012", "", peer.line, message)
    for line, words in undefined(configured):
        yield Fault("AUD013", "", line, f"{words} does not exist")
