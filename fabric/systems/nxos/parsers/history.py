"""Who configured: ``show accounting log``, the oldest line first.

Known: a line holds the time, ``type=update``, ``id=ADDRESS@TERMINAL``, ``user=`` and ``cmd=`` with
``(SUCCESS)`` behind it (https://github.com/syedur-rahman/networkcoder, the project that reads the
accounting of NX-OS; its README quotes lines).
"""

from __future__ import annotations

import re

from fabric.observe.authors import MOST_CHARACTERS, MOST_ENTRIES, Entry, histories

_LINE = re.compile(
    r"(?P<at>[^\n=]{1,40}):type=update:id=(?P<by>[^:\n]{0,80}):user=(?P<user>[^:\n]{1,80}):"
    r"cmd=(?P<what>[^\n]{0,1000})"
)


@histories.add("nxos")
def commands(text: str) -> list[Entry]:
    """Return the commands that succeeded, the newest first."""
    entries = [
        Entry(line["user"], line["by"], line["at"].strip(), line["what"])
        for row in text[-MOST_CHARACTERS:].splitlines()
        if (line := _LINE.match(row)) and "(SUCCESS)" in line["what"]
    ]
    return entries[: -MOST_ENTRIES - 1 : -1]
