"""Build hook: writes the commit into wheel and sdist, for `rocefab --version`."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Adds ``fabric/_commit`` where a checkout is built; an sdist passes its own on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file; without git the build goes on, and the commit is unknown."""
        root = Path(self.root)
        if version == "editable" or not (root / ".git").exists():
            return
        try:
            done = subprocess.run(
                ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607
                cwd=root,
                capture_output=True,
                text=True,
                check=True,
            )
        except (OSError, subprocess.CalledProcessError):
            return
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "_commit"
        file.write_text(done.stdout)
        build_data["force_include"][str(file)] = "fabric/_commit"
