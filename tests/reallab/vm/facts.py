"""Prints what rocefab reads of a host and what it thinks of it: a process of its own.

Arguments: inventory, connections file, name of the host.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fabric.change.planner import open_driver
from fabric.workflow.devices import Selection, targets
from fabric.workflow.nics import NicLooks
from fabric.workflow.project import Project


def main(inventory: str, connections: str, name: str) -> None:
    """Read a host over SSH."""
    project = Project(Path(inventory))
    looks = NicLooks(project)
    driver: Any = open_driver(targets(project, Path(connections), Selection())[name].connection)
    try:
        facts = looks.read(driver, name)
    finally:
        driver.close()
    deviations = [str(item) for item in looks.deviations(facts)]
    print(json.dumps({"unread": facts.unread, "deviations": deviations}))


if __name__ == "__main__":
    main(*sys.argv[1:])
