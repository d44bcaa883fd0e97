"""What a finding about a shared queue says: whose it is, and which packets are in it too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.audit import test_esonic, test_junos
from tests.audit.planting import findings

if TYPE_CHECKING:
    from pathlib import Path

#: System: the text of a clean leaf, pattern, replacement, and the message without its port.
CASES = {
    "junos": (
        test_junos.CLEAN,
        "forwarding-class CNP loss-priority low code-points 110000",
        "forwarding-class NO-LOSS loss-priority low code-points 110000",
        "queue 3 of the lossless class 3 also carries class NO-LOSS without pfc (DSCP 48)",
    ),
    "esonic": (
        test_esonic.CLEAN,
        " traffic-class 6 queue 6",
        " traffic-class 6 queue 3",
        "queue 3 of the lossless class 3 also carries class 6 (DSCP 48)",
    ),
}


def test_a_shared_queue_is_named_with_its_packets(tmp_path: Path) -> None:
    for clean, pattern, replacement, words in CASES.values():
        wrong = re.sub(pattern, replacement, clean)
        assert wrong != clean
        messages = [one.message for one in findings(tmp_path, wrong) if one.rule == "AUD008"]
        assert messages
        assert all(message.startswith(words) for message in messages), messages
