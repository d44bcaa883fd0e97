"""What stand-ins print, from templates that can be laid beside a capture.

Templates are the files ``pages/<name>.j2`` beside the module that prints them. ``left``, ``right``
and ``centre`` put a value into a column.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Callable


def pages(module: str, **filters: Callable[[Any], str]) -> Callable[..., str]:
    """Return a function that fills the templates of a stand-in.

    Parameters
    ----------
    module : str
        ``__file__`` of the module that prints them.
    **filters
        Further filters, by name.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(module).parent / "pages"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - terminals
    )
    environment.filters |= filters | {
        "left": lambda value, width: f"{value!s:<{width}}",
        "right": lambda value, width: f"{value!s:>{width}}",
        "centre": lambda value, width: f"{value!s:^{width}}",
    }

    def page(template: str, /, **values: Any) -> str:
        return environment.get_template(f"{template}.j2").render(values)

    return page
