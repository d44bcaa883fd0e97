"""Writes the commit that a release was built from into it, as ``fabric/_build.py``.

A checkout has no such file. An sdist has it, so that the wheel of an sdist has the same bytes as
the wheel of the commit.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NAME = "fabric/_build.py"
_TEXT = '"""What this release was built from."""\n\nCOMMIT = "{commit}"\n'


class CommitHook(BuildHookInterface):
    """Adds ``fabric/_build.py`` to wheels and sdists that are built from a git checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, with the commit of the checkout or as the sdist has it."""
        root = Path(self.root)
        if version == "editable":
            return
        file = root / _NAME
        if commit := _commit(root):
            self._folder = tempfile.TemporaryDirectory()
            file = Path(self._folder.name) / "_build.py"
            file.write_text(_TEXT.format(commit=commit), encoding="utf-8")
        if file.exists():
            build_data["force_include"][str(file)] = _NAME


def _commit(root: Path) -> str:
    """Return the hash of the commit, with ``-dirty`` behind it where files differ from it."""
    sys.path.insert(0, str(root))
    try:
        commit: str = import_module("fabric.programs.source").commit_of(root)
    finally:
        sys.path.remove(str(root))
    return commit
