"""man: the help of every command as manual pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabric import __version__
from fabric.cli import output
from fabric.cli.options import option
from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: rocefab man --out man1")(man)


def man(
    context: typer.Context,
    out: Annotated[Path, option("Output folder.", "MAN_OUT")] = Path("man1"),
) -> None:
    """Write manual pages: rocefab.1, and one for each command.

    To read them by name, write them to a folder man1 of MANPATH, such as
    ~/.local/share/man/man1.

    Exit codes: 0, 2.
    """
    files = pages(context.obj())
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (out / name).write_text(text)
    except OSError as error:
        raise typer.BadParameter(f"--out: {out} cannot be written: {error.strerror}") from error
    output.note(f"wrote {counted(len(files), 'page')} to {out}")


def pages(root: Any) -> dict[str, str]:
    """Return the text of each page, in man(7) macros, by its file name."""
    commands = list(_walk(root, ("rocefab",)))
    return {f"{'-'.join(words)}.1": _page(words, command) for words, command in commands}


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not command.hidden:
        yield words, command
        for name, child in getattr(command, "commands", {}).items():
            yield from _walk(child, (*words, name))


def _page(words: tuple[str, ...], command: Any) -> str:
    name = "-".join(words)
    summary, *texts = re.split(r"\n\s*\n", (command.help or "").strip())
    lines = [
        f'.TH {name.upper()} 1 "" "rocefab {__version__}" "User Commands"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(summary).rstrip('.')}",
        ".SH SYNOPSIS",
        f".B {_text(' '.join(words))}",
        _text(" ".join(_usage(command))),
    ]
    if texts:
        lines += [".SH DESCRIPTION", "\n.PP\n".join(map(_text, texts))]
    for title, kind in (("ARGUMENTS", "argument"), ("OPTIONS", "option")):
        entries = [_entry(one) for one in command.params if one.param_type_name == kind]
        lines += [f".SH {title}", *entries] if entries else []
    children = getattr(command, "commands", {})
    if children:
        lines.append(".SH COMMANDS")
        lines += [_child(words, child_name, child) for child_name, child in children.items()]
    if command.epilog:
        lines += [".SH EXAMPLES", _text(command.epilog.removeprefix("Example: "))]
    if len(words) > 1:
        lines += [".SH SEE ALSO", f".BR {_text('-'.join(words[:-1]))} (1)"]
    return "\n".join(lines) + "\n"


def _usage(command: Any) -> Iterator[str]:
    for one in command.params:
        if one.param_type_name == "argument":
            name = one.metavar or one.name.upper()
            yield name if one.required or name.startswith("[") else f"[{name}]"
    yield "[options]"
    if hasattr(command, "commands"):
        yield "COMMAND ..."


def _entry(parameter: Any) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    head = ", ".join(f"\\fB{_text(name)}\\fR" for name in names)
    if parameter.param_type_name == "argument":
        head = f"\\fI{_text(parameter.metavar or parameter.name.upper())}\\fR"
    elif not parameter.is_flag:
        head += f" \\fI{_text(_value(parameter))}\\fR"
    help_ = _text(parameter.help or "")
    variable = f" Variable: {_text(parameter.envvar)}." if parameter.envvar else ""
    return f".TP\n{head}\n{help_}{variable}"


def _value(option: Any) -> str:
    kind = option.type_descriptor
    if kind.is_choice and kind.choices:
        return "|".join(str(getattr(one, "value", one)) for one in kind.choices)
    return str(option.metavar or option.name.upper().replace("_", "-"))


def _child(words: tuple[str, ...], name: str, command: Any) -> str:
    summary = re.split(r"\n\s*\n", (command.help or "").strip())[0]
    return f".TP\n.BR {_text('-'.join((*words, name)))} (1)\n{_text(summary)}"


def _text(text: str) -> str:
    """Return a text in one line that troff prints as it is."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha")
    line = line.replace("~", "\\(ti").replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{line}" if line.startswith(".") else line
