"""The template engine: Jinja2 in a sandbox, strict about what it prints.

Values of the inventory are data. They are never read as templates, and a value that is printed
must be one printable line: what would begin a new line of configuration is refused. A template
may see only the values that it is handed, and only the files of the template folder.
"""

from __future__ import annotations

import traceback
from functools import cache
from importlib.resources import files
from json.encoder import encode_basestring_ascii
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
)
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment

from fabric.core.errors import RenderError
from fabric.core.plugins import folders
from fabric.core.units import ms_to_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jinja2 import Template
    from jinja2.compiler import Frame

_FAILURES = (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError)


#: Beginnings of names by which Python leads from a value to code, and names that change a value or
#: format one by itself (jinja2.sandbox).
_INTERNAL = ("_", "func_", "im_", "gi_", "cr_", "ag_", "tb_", "f_", "co_")
_REFUSED = frozenset(
    "add append clear difference_update discard extend format format_map insert "
    "intersection_update mro pop popitem remove reverse setdefault sort "
    "symmetric_difference_update update".split()
)


class _PlainCode(CodeGenerator):
    """Writes attributes as Python's own, and text as it is: a template does little else.

    Each name was judged when the template was read (`SandboxedEnvironment`). A member of a mapping
    is read by its key, in brackets. What is printed has passed ``finalize``, as everywhere, or is
    what `_printable` returns as it is.
    """

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  Jinja's name
        if not node.attr.isidentifier() or iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        if _is_text(frame, finalize):
            self.write("(shown if type(shown := ")
        else:
            super()._output_child_pre(node, frame, finalize)

    def _output_child_post(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        if _is_text(frame, finalize):  # text that is printable, without a call
            self.write(f") is str and shown.isprintable() else {finalize.src}shown))")
        else:
            super()._output_child_post(node, frame, finalize)


def _is_text(frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> bool:
    """Tell whether what is printed is text already: `_printable` has seen it."""
    escapes = frame.eval_ctx.volatile or frame.eval_ctx.autoescape
    return finalize.src is not None and not escapes


class SandboxedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox, which looks at the names of attributes when a template is read.

    A template names its attributes in its text, so that each name is judged once and by itself,
    more strictly than at every access by the type of a value. What a template calls, and what it
    looks up by a computed key, stays with the sandbox.
    """

    getattr = Environment.getattr
    code_generator_class = _PlainCode

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        del self.filters["attr"]  # it would look up a name that nobody has judged

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for node in tree.find_all(nodes.Getattr):
            if node.attr.startswith(_INTERNAL) or node.attr in _REFUSED:
                raise TemplateSyntaxError(
                    f"the attribute {node.attr!r} is unsafe in a template",
                    node.lineno,
                    name,
                    filename,
                )
        return tree


def template_folder() -> Path:
    """Return the folder of the templates: inside the wheel, else beside the package."""
    packaged = Path(str(files("fabric"))) / "_templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "templates"


def template_folders() -> list[Path]:
    """Return our own folder of templates, and those of plug-ins."""
    return [template_folder(), *(Path(str(folder)) for folder in folders("templates"))]


@cache
def environment() -> SandboxedEnvironment:
    """Return the environment; it is made at the first use and then kept."""
    result = SandboxedEnvironment(
        loader=FileSystemLoader(template_folders()),
        undefined=StrictUndefined,
        autoescape=False,  # configuration is not HTML; see _printable
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_printable,
    )
    result.filters.update(json=_json, yaml=_yaml, seconds=_seconds)
    result.filters.update(row=_row, comma=_comma, words=_words)
    return result


def render(name: str, device: str, values: Mapping[str, object]) -> str:
    """Return the text of one template.

    Parameters
    ----------
    name : str
        Path below the template folder, such as ``sonic/ports.j2``.
    device : str
        Switch or host that it is rendered for; named in errors.
    values : mapping
        What the template may use.

    Raises
    ------
    RenderError
        Naming device, template and line, when the template fails or would print a value that
        is absent or not one printable line.
    """
    try:
        return _text(environment().get_template(name), values)
    except _FAILURES as error:
        raise RenderError(f"{device}: {_place(name, error)}: {error}") from error


def _text(template: Template, values: Mapping[str, object]) -> str:
    """Do what `Template.render` does, with the names of the environment in a plain mapping."""
    engine = template.environment
    names = {**engine.globals, **values}
    context = engine.context_class(engine, names, template.name, template.blocks)
    try:
        return engine.concat(template.root_render_func(context))
    except Exception:  # noqa: BLE001  raised again, at the line of the template
        engine.handle_exception()


def _place(name: str, error: BaseException) -> str:
    if isinstance(error, TemplateSyntaxError):
        return f"templates/{error.name or name}:{error.lineno}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        for folder in template_folders():
            if path.is_relative_to(folder):
                return f"templates/{path.relative_to(folder).as_posix()}:{frame.lineno}"
    return f"templates/{name}"


def _printable(value: object) -> str:
    """Return the text of a value; refuse what must not be printed."""
    if value is None:
        raise ValueError("the value is missing (None)")
    text = str(value)
    if text.isprintable():
        return text
    raise ValueError(f"the value {value!r} contains a line break or another control character")


def _yaml(text: str) -> str:
    """Return an address for YAML, where a colon may end a key."""
    return _json(text) if ":" in text else text


def _json(value: object) -> str:
    """Return a JSON string for a text or a number: SONiC knows strings only."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{value!r} is neither text nor a whole number")
    return encode_basestring_ascii(str(value))


def _row(values: Iterable[int]) -> str:
    """Return the members of a JSON object that maps positions to values: ``"0": "7", "1": "6"``."""
    return ", ".join(f'"{position}": "{value}"' for position, value in enumerate(values))


def _seconds(milliseconds: int, digits: int) -> str:
    """Return milliseconds as seconds with a fixed number of decimals: 200 -> ``0.20``."""
    text = f"{ms_to_s(milliseconds):.{digits}f}"
    if round(float(text) * 1000) != milliseconds:
        raise ValueError(f"{milliseconds} ms cannot be written as seconds with {digits} decimals")
    return text


def _comma(values: Iterable[object]) -> str:
    """Join with commas, without spaces."""
    return ",".join(str(value) for value in values)


def _words(values: Iterable[object]) -> str:
    """Join with single spaces."""
    return " ".join(str(value) for value in values)
