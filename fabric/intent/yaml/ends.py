"""Where the words of a YAML file end; a report that marks them asks, and messages do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from fabric.core.errors import FileError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.intent.yaml.tree import Loader

#: Line and column, both from 1.
Mark = tuple[int, int]


def ends_in(file: str) -> dict[Mark, Mark]:
    """Return where each key and scalar ends, by where it begins.

    Empty for what is no YAML file, or cannot be read; a file that is wrong has those before that.
    """
    path = Path(file)
    if path.suffix not in {".yaml", ".yml"}:
        return {}
    try:
        return _ends(read_bytes(path, FileKind.INVENTORY).decode("utf-8-sig"))
    except (FileError, OSError, ValueError):
        return {}


def _ends(text: str) -> dict[Mark, Mark]:
    ends = {}
    loader = Loader(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.ScalarEvent):
                ends[_mark(event.start_mark)] = _mark(event.end_mark)
    except yaml.YAMLError:
        pass
    finally:
        loader.dispose()
    return ends


def _mark(mark: Any) -> Mark:  # the events of the C parser are untyped
    return mark.line + 1, mark.column + 1
