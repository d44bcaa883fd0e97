"""Reading a YAML file of the inventory: plain data, and the position of each key and value.

Only what a person means without doubt is read. Duplicate keys, tags, anchors, aliases, tabs and
words that YAML readers understand differently are rejected, all of them at once where possible.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.errors import FileError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.core.user_files import read_bytes
from fabric.intent.yaml.tree import Builder, Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_BYTES = FileKind.INVENTORY.most_bytes
#: Rule and advice by what is wrong with a file.
_FAULTS = {
    "special": ("INT011", "use a regular file"),
    "large": ("INT008", "split it, or specify the right file"),
}
# What YAML 1.2.2 section 5.1 does not call printable, and line ends that editors do not show.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)

_LOGGER = logging.getLogger(__name__)
#: Start of the comment behind a value that an import assumed.
ASSUMED = "# assumed:"
_ASSUMED = re.compile(rf"(?:^|[ \t]){re.escape(ASSUMED)}")


class Document:
    """One YAML file: its data as plain Python values, and where each of them stands.

    Parameters
    ----------
    file : str
        The file's name as messages show it.
    data : dict
        The top-level mapping; holds only dict, list, str, int, float, bool and None.
    places : Places
        Positions of what is in ``data``.
    assumed : tuple of Position
        Comments that say that a value was assumed by an import.
    """

    def __init__(
        self,
        file: str,
        data: dict[str | int, Any],
        places: Places,
        assumed: tuple[Position, ...] = (),
    ) -> None:
        self.file = file
        self.data = data
        self.assumed = assumed
        self._places = places

    def content(self, path: tuple[str | int, ...] = ()) -> str:
        """Return all that a part of the file says, and where: equal where both are equal."""
        data: Any = self.data
        for part in path:
            data = data[part]
        return repr((self.file, path, data, self._places.below(path)))

    def position(self, path: tuple[str | int, ...]) -> Position:
        """Return where the key or list item stands, or its nearest ancestor in the file."""
        line, column = self._places.find(path, want_key=True)
        return Position(self.file, line, column)

    def value_position(self, path: tuple[str | int, ...]) -> Position:
        """Return where the value stands, or its nearest ancestor in the file."""
        line, column = self._places.find(path, want_key=False)
        return Position(self.file, line, column)


def load_yaml(
    path: Path,
    shown_as: str,
    *,
    root: Path | None = None,
    listed: bool = False,
    foreign: bool = False,
) -> Document:
    """Read one file of the inventory.

    Parameters
    ----------
    path : Path
        The file to read; at most 16 MiB.
    shown_as : str
        The file's name in messages.
    root : Path or None
        The folder that links may not leave; the file's own folder when None.
    listed : bool
        Whether the file holds a list; ``data`` then has its items by their places, from 0.
    foreign : bool
        Whether another program reads the file too: words that YAML readers understand
        differently, such as ``True``, are text then and no errors.

    Raises
    ------
    InputError
        With all that is wrong with the file as a YAML file.
    """
    shown = printable(shown_as)
    raw = _read(path, shown, root or path.parent, FileKind.INVENTORY)
    return parse_yaml(raw, shown, listed=listed, foreign=foreign)


def read_text(path: Path, shown_as: str, *, root: Path, kind: FileKind) -> str:
    """Read a text file that the inventory names.

    Parameters
    ----------
    path : Path
        The file to read.
    shown_as : str
        The file's name in messages.
    root : Path
        The folder that links may not leave.
    kind : FileKind
        What it is, for its largest size.

    Raises
    ------
    InputError
        When the file cannot be read, is too large, or is no UTF-8 text.
    """
    shown = printable(shown_as)
    return _decode(_read(path, shown, root, kind), shown)


def parse_yaml(
    raw: bytes, shown_as: str, *, listed: bool = False, foreign: bool = False
) -> Document:
    """Read the content of one file of the inventory; as `load_yaml`, from memory.

    Raises
    ------
    InputError
        With all that is wrong with the content as YAML.
    """
    if len(raw) > MAX_BYTES:
        raise _refused("INT008", "the file is larger than 16 MiB", "split it", Position(shown_as))
    builder = Builder(shown_as, listed=listed, foreign=foreign)
    text = _decode(raw, shown_as)
    data, places = builder.build(text)
    if builder.findings:
        raise input_error(builder.findings, shown_as)
    return Document(shown_as, data, places, tuple(assumed_places(text, shown_as)))


def assumed_places(text: str, shown: str) -> Iterator[Position]:
    """Yield where the comments stand that say that a value was assumed by an import."""
    if ASSUMED not in text:
        return
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        comment = _ASSUMED.search(line)
        if comment:
            yield Position(shown, number, comment.end() - len(ASSUMED) + 1)


def input_error(findings: Sequence[Finding], where: str) -> InputError:
    """Return one error for all findings, sorted by file and line."""
    ordered = sorted(findings, key=_order)
    return InputError(f"{counted(len(ordered), 'error')} in {printable(where)}", ordered)


def _order(finding: Finding) -> tuple[Position, str, str]:
    return finding.position or Position(""), finding.field, finding.message


def _refused(rule: str, message: str, fix: str, position: Position) -> InputError:
    finding = Finding(rule, Severity.ERROR, message, fix, position=position)
    return input_error([finding], position.file)


def _read(path: Path, shown: str, root: Path, kind: FileKind) -> bytes:
    try:
        if not leads_inside(path, root):
            message = "the link points outside the inventory folder"
            raise _refused("INT011", message, "replace the link with the file", Position(shown))
        content = read_bytes(path, kind)
    except FileError as error:
        rule, fix = _FAULTS.get(error.fault, ("INT001", kind.fix))
        raise _refused(rule, printable(error.finding.message), fix, Position(shown)) from error
    except (OSError, RuntimeError, ValueError) as error:  # of the links
        message = f"cannot be read: {printable(str(error))}"
        raise _refused("INT001", message, FileKind.INVENTORY.fix, Position(shown)) from error
    _LOGGER.debug("read %s: %s bytes", shown, len(content))
    return content


def leads_inside(path: Path, root: Path) -> bool:
    """Say whether the path, with all links followed, lies in the folder."""
    return path.resolve().is_relative_to(root.resolve())


def _decode(raw: bytes, shown: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", errors="replace")
        fix = "save the file as UTF-8"
        raise _refused("INT001", "not UTF-8 text", fix, _end_of(before, shown)) from error
    wrong = _FORBIDDEN.search(text)
    if wrong:
        message = f"the file contains the character U+{ord(wrong.group()):04X}"
        position = _end_of(text[: wrong.start()], shown)
        raise _refused("INT001", message, "remove it, or use an escape sequence", position)
    return text


def _end_of(text: str, shown: str) -> Position:
    lines = re.split(r"\r\n|\r|\n", text)
    return Position(shown, len(lines), len(lines[-1]) + 1)
