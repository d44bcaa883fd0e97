"""YAML for Kubernetes, in a form that every reader takes for the same.

Readers differ in what a bare word is: ``on`` and ``no`` are booleans in YAML 1.1, ``1e3`` is a
number in YAML 1.2, ``1:30`` is one in 1.1. So only words that are words everywhere stand bare.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_BARE = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
#: Booleans, nulls and numbers of YAML 1.1 and 1.2 that are made of letters.
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}


#: The C emitter, where PyYAML has it: four times as fast. Both print the same.
_Base: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc]
    """Writes strings in quotes unless they are plain words; no anchors, no tags."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    bare = _BARE.fullmatch(text) and text.lower() not in _WORDS
    tag = "tag:yaml.org,2002:str"
    return dumper.represent_scalar(tag, text, style=None if bare else '"')


_Dumper.add_representer(str, _string)


def yaml_text(body: dict[str, Any]) -> str:
    """Return an object as one YAML document, without a line that separates documents."""
    text: str = yaml.dump(
        body, Dumper=_Dumper, sort_keys=False, width=1_000_000, allow_unicode=False
    )
    return text
