"""YAML that every reader takes for the same: text that some would read otherwise is quoted."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from fabric.intent.yaml.file import ASSUMED
from fabric.intent.yaml.tree import TrapError, plain_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: Keys and places in lists that lead to a value.
Path: TypeAlias = "tuple[str | int, ...]"

#: The C dumper where it is there, with text of its own.
_Dumper: Any = type("_Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})
_WIDTH, _ONE_LINE = 100, 1 << 30


def _text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, None if _plain(text) else "'")


def _plain(text: str) -> bool:
    try:
        return plain_value(text) == text
    except TrapError:
        return False


_Dumper.add_representer(str, _text)


def dump(tree: Mapping[str, Any], assumed: Mapping[Path, str] | None = None) -> str:
    """Return a mapping as YAML, in the order of its keys.

    Parameters
    ----------
    assumed : mapping or None
        Why values are assumed, for a comment behind each; the others have none.
    """
    if not assumed:
        return _dump(dict(tree))
    above = {path[:length] for path in assumed for length in range(len(path))}
    return "".join(_parts(tree, (), assumed, above))


def _parts(value: Any, path: Path, assumed: Mapping[Path, str], above: set[Path]) -> Iterator[str]:
    """Yield keys or items; what has an assumed value stands on a line of its own."""
    listed = isinstance(value, list)
    items: Iterable[tuple[Any, Any]] = enumerate(value) if listed else value.items()
    for key, item in items:
        own = (*path, key)
        whole: Any = [item] if listed else {key: item}
        if own in assumed:
            yield f"{_one_line(whole)} {ASSUMED} {assumed[own]}\n"
        elif own in above:
            inner = "".join(_parts(item, own, assumed, above))
            yield f"{key}:\n{inner if isinstance(item, list) else indent(inner, '  ')}"
        else:
            yield _dump(whole, flow=None if isinstance(item, dict | list) else False)


def _one_line(whole: Any) -> str:
    """Return a mapping of one key, or a list of one item, in a single line."""
    [item] = whole.values() if isinstance(whole, dict) else whole
    if not isinstance(item, dict | list):
        return _dump(whole, width=_ONE_LINE, flow=False).rstrip("\n")
    start = "- " if isinstance(whole, list) else f"{next(iter(whole))}: "
    return start + _dump(item, width=_ONE_LINE, flow=True).rstrip("\n")


def _dump(tree: Any, *, width: int = _WIDTH, flow: bool | None = None) -> str:
    text: str = yaml.dump(
        tree, Dumper=_Dumper, sort_keys=False, default_flow_style=flow, width=width
    )
    return text
