"""The manifest of an output folder: its files with size and digest, and nothing of the run."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from fabric.core.artefact import is_plain_path
from fabric.core.errors import FileError, RenderError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fabric.core.artefact import Artefact

FileState: TypeAlias = Literal["added", "changed", "removed", "unchanged"]

MANIFEST = "manifest.json"
#: Goes up when a reader of the manifest must change.
MANIFEST_FORMAT = 1


class Written(NamedTuple):
    """What the manifest has of a file."""

    device: str
    platform: str
    kind: str
    path: str
    sha256: str
    size_bytes: int
    executable: bool = False


def written(artefact: Artefact) -> Written:
    """Return what the manifest has of a file."""
    return Written(
        device=artefact.device,
        platform=artefact.platform,
        kind=artefact.kind,
        path=artefact.path,
        sha256=artefact.sha256,
        size_bytes=len(artefact.content),
        executable=artefact.executable,
    )


def manifest_text(files: Sequence[Written], extra: Mapping[str, Any]) -> bytes:
    """Return the manifest, as `json.dumps` with an indent of 2 writes it."""
    head = json.dumps({"format": MANIFEST_FORMAT, **extra, "artefacts": []}, indent=2)
    rows = ",\n".join(map(_row, files))
    listed = f"[\n{rows}\n  ]\n}}\n" if rows else "[]\n}\n"
    return (head.removesuffix("[]\n}") + listed).encode()


def _row(file: Written) -> str:
    text = encode_basestring_ascii
    return f"""\
    {{
      "device": {text(file.device)},
      "platform": {text(file.platform)},
      "kind": {text(file.kind)},
      "path": {text(file.path)},
      "sha256": "{file.sha256}",
      "bytes": {file.size_bytes}
    }}"""


def digests_of(folder: Path) -> dict[str, str]:
    """Return path -> SHA-256 of the last run; empty when no readable manifest is there.

    A manifest with a path that leaves the folder does not count: rocefab writes no such paths.
    """
    try:
        document = read_json(folder / MANIFEST, FileKind.MANIFEST)
        digests = {row["path"]: row["sha256"] for row in document["artefacts"]}
    except (FileError, KeyError, TypeError):
        return {}
    return digests if all(map(is_plain_path, digests)) else {}


def states_of(before: Mapping[str, str], files: Sequence[Written]) -> dict[str, FileState]:
    """Return what becomes of each path that was there before or is there now."""
    states: dict[str, FileState] = dict.fromkeys(before, "removed")
    for file in files:
        old = before.get(file.path)
        same = old == file.sha256
        states[file.path] = "added" if old is None else "unchanged" if same else "changed"
    return states


def check_paths(paths: Sequence[str]) -> None:
    """Refuse a path that is taken, as a file or as a folder.

    Raises
    ------
    RenderError
        When two of the files have one path, or one has that of the folder of another.
    """
    taken, folders = {MANIFEST}, set[str]()
    for path in paths:
        if path in taken:
            raise _taken(path, path)
        parent = path.rpartition("/")[0]
        while parent and parent not in folders:
            if parent in taken:
                raise _taken(path, parent)
            folders.add(parent)
            parent = parent.rpartition("/")[0]
        taken.add(path)
    double = next(iter(folders & taken), None)
    if double is not None:
        raise _taken(next(path for path in paths if path.startswith(f"{double}/")), double)


def _taken(path: str, by: str) -> RenderError:
    return RenderError(f"{path}: conflicts with {by}, another artefact or the manifest")
