"""YAML that every reader takes for the same: text that some would read otherwise is quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from fabric.intent.yaml_scalars import TrapError, plain_value

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The C dumper where it is there, with text of its own.
_Dumper: Any = type("_Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})


def _text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, None if _plain(text) else "'")


def _plain(text: str) -> bool:
    try:
        return plain_value(text) == text
    except TrapError:
        return False


_Dumper.add_representer(str, _text)


def dump(tree: Mapping[str, Any]) -> str:
    """Return a mapping as YAML, in the order of its keys."""
    text: str = yaml.dump(
        dict(tree), Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=100
    )
    return text
