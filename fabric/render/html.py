"""Pages for people, from templates whose values are escaped: nothing in them becomes markup."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import FileSystemLoader, StrictUndefined

from fabric.render.engine import SandboxedEnvironment, template_folder

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def _environment() -> SandboxedEnvironment:
    return SandboxedEnvironment(
        loader=FileSystemLoader(template_folder()),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def html_page(name: str, values: Mapping[str, object]) -> str:
    """Return a page; ``name`` is the path of its template below the template folder."""
    return _environment().get_template(name).render(values) + "\n"
