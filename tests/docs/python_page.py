"""Writes the page of the Python API: signatures and docstrings of the part that stays."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from typing import Any

from pydantic import BaseModel

from fabric import client
from fabric.core.errors import InputError, NoRoomError
from fabric.intent.inventory import load
from fabric.placement.job import JobRequest
from fabric.topology import graph, realise
from fabric.workflow.check import check, report
from fabric.workflow.place import StateFiles, job_request, place
from fabric.workflow.project import Project
from fabric.workflow.render import render

_HEAD = """\
# Python

Generated from the code; do not edit.

This is the part of the Python API that other programs can build on: names, parameters and
results change with a line in the changelog only. Everything else in `fabric` is internal and
changes without notice. Where a program only needs results, [forms of JSON](formats.md) and
[commands](cli.md) are the better choice.

```python
from pathlib import Path

from fabric.workflow.check import check
from fabric.workflow.project import Project
from fabric.workflow.render import render

project = Project("inventory/demo")
outcome = check(project)
print([str(finding) for finding in outcome.findings])
render(project, Path("out"))
```

What is wrong with an input is in the findings of the error:

```python
from fabric.core.errors import InputError
from fabric.workflow.place import job_request, place
from fabric.workflow.project import Project

try:
    place(Project("inventory/demo"), job_request(nodes=70))
except InputError as error:
    print(error)
    print(*error.findings, sep="\\n")
```

```text
the job cannot be placed
nodes: 70 hosts are needed, but the fabric has 4; request at most 4 nodes: with 2 GPUs each they \
have 8 [PLC001]
```

"""
#: What is described, in the order of a reader who starts.
_API: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("Load", (load, realise, graph)),
    ("Check and render", (Project, check, report, render)),
    ("Place", (JobRequest, job_request, StateFiles, place)),
    ("Ask the service", (client.Client, client.Placement, client.ServiceProblem)),
    ("Errors", (InputError, NoRoomError)),
)
_ATTRIBUTES = ("fabric", "devices", "hosts", "switch_artefacts", "host_artefacts")
_WIDTH = 90
_SECTION = re.compile(r"^([A-Z][a-z]+)\n-{3,}$", re.MULTILINE)


def python_page() -> str:
    parts = [_HEAD]
    for title, items in _API:
        parts.append(f"## {title}\n\n")
        parts += [_entry(item) for item in items]
    return "".join(parts).rstrip("\n") + "\n"


def _entry(item: Any) -> str:
    home = "fabric.topology" if item in (realise, graph) else item.__module__
    is_model = inspect.isclass(item) and issubclass(item, BaseModel)
    shown = f"{_text(item)}{_members(item)}" if is_model else f"{_signature(item)}{_text(item)}"
    parts = [f"### `{home}.{item.__name__}`\n\n{shown}"]
    if inspect.isclass(item):
        parts += [_method(item, name) for name in _public(item)]
    return "".join(parts)


def _members(item: type[BaseModel]) -> str:
    """Return the members of a model, each with what it means."""
    fields = item.model_fields.items()
    rows = [
        f"- `{name}`: {field.description} Default: `{field.default!r}`." for name, field in fields
    ]
    return "\n".join(["Members:", "", *rows, "", ""])


def _public(item: type[Any]) -> list[str]:
    if item is Project:
        return list(_ATTRIBUTES)
    return [
        name
        for name, value in vars(item).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    ]


def _method(item: type[Any], name: str) -> str:
    value = inspect.getattr_static(item, name)
    shown = _signature(value) if inspect.isfunction(value) else ""
    return f"#### `{item.__name__}.{name}`\n\n{shown}{_text(value)}"


def _signature(item: Any) -> str:
    signature = inspect.signature(item)
    ends = signature.return_annotation
    result = f" -> {ends}" if isinstance(ends, str) and ends != "None" else ""
    items = [one for name, one in signature.parameters.items() if name != "self"]
    parts = [_parameter(one) for one in items]
    named = [number for number, one in enumerate(items) if one.kind is one.KEYWORD_ONLY]
    if named:
        parts.insert(named[0], "*")
    shown = f"{item.__name__}({', '.join(parts)}){result}"
    if len(shown) > _WIDTH:
        each = "".join(f"    {part},\n" for part in parts)
        shown = f"{item.__name__}(\n{each}){result}"
    return f"```python\n{shown}\n```\n\n"


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    text = f"{stars}{one.name}: {one.annotation}"
    if one.default is one.empty:
        return text
    value = one.default
    shown = f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
    return f"{text} = {shown}"


def _text(item: Any) -> str:
    """Return a docstring in numpy form as Markdown: its sections as lists."""
    first, *rest = _SECTION.split(inspect.getdoc(item) or "")
    parts = [_code(first.strip()) + "\n\n" if first else ""]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        parts.append(f"{title}:\n\n{_list(body)}\n")
    return "".join(parts)


def _list(body: str) -> str:
    lines: list[str] = []
    for line in filter(str.strip, body.splitlines()):
        if line.startswith(" ") and lines:
            lines[-1] += (" " if lines[-1].endswith((".", ",", ";")) else "\0") + line.strip()
        else:
            name, colon, kind = line.partition(" : ")
            lines.append(f"- `{name}`" + (f" ({kind})" if colon else ""))
    joined = (line.replace("\0", ": ", 1).replace("\0", " ") for line in lines)
    return _code("\n".join(joined)) + "\n"


def _code(text: str) -> str:
    return text.replace("``", "`")
