"""The table of BFD timers has what the templates of each system print."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
#: Words of a template of each system between which its interval and multiplier stand.
LINES = {
    "EOS": ("eos/bfd.j2", r"interval (\d+) min-rx \1 multiplier (\d+)"),
    "NX-OS": ("nxos/interfaces.j2", r"bfd interval (\d+) min_rx \1 multiplier (\d+)"),
    "VRP8": (
        "vrp8/bgp.j2",
        r"bfd min-tx-interval (\d+) min-rx-interval \1 detect-multiplier (\d+)",
    ),
    "Junos": ("junos/bgp.j2", r"minimum-interval (\d+)\n.* multiplier (\d+)"),
    "Comware 7": (
        "comware7/interfaces.j2",
        r"min-transmit-interval (\d+)\n bfd min-receive-interval \1\n bfd detect-multiplier (\d+)",
    ),
}


def test_the_table_of_bfd_timers() -> None:
    text = (REPOSITORY / "docs" / "addressing.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (\d+) ms \| (\d+) \| rendered", text, re.MULTILINE)
    told = {name: (time, count) for names, time, count in rows for name in names.split(", ")}
    printed = {}
    for name, (template, pattern) in LINES.items():
        found = re.search(pattern, (REPOSITORY / "templates" / template).read_text())
        assert found, template
        printed[name] = found.groups()
    assert told == printed
