"""A process with a lab of the tiny fabric: prints its connections file, and ends with its input."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project


def main() -> None:
    project = Project(Path(sys.argv[1]))
    with (
        tempfile.TemporaryDirectory() as folder,
        laboratory(project, Path(folder)),
    ):
        print(Path(folder, CONNECTIONS).read_text().replace("\n", " "), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
