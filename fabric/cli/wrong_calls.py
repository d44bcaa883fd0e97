"""What to type instead of a command line that is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core.shown import closest
from fabric.core.validation import own_words

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How other programs call what is --listen here.
_LISTEN = frozenset({"--port", "--host", "--bind", "--address"})
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)
_NO_CHOICE = re.compile(r"'(.*)' is not one of '(.*)'\.", re.DOTALL)
_NO_COMMAND = re.compile(r"(No such command '([^']*)'\.).*", re.DOTALL)
#: Options that other tools and people have, by command: the one that is meant.
_OPTION_INSTEAD = {
    ("place", "--gpus"): "--gpus-per-node",
    ("place", "--avoid"): "--exclude",
}
#: Words that other tools and people have for a command, by the command that they follow.
_INSTEAD = {
    ("", "validate"): "check",
    ("", "lint"): "check",
    ("", "test"): "check",
    ("", "build"): "render",
    ("", "generate"): "render",
    ("", "deploy"): "apply",
    ("", "push"): "apply",
    ("", "commit"): "apply",
    ("", "fail"): "whatif --fail",
    ("", "drain"): "whatif --drain",
    ("", "new"): "init",
    ("", "create"): "init",
    ("", "graph"): "draw",
    ("", "list"): "show",
    ("", "web"): "serve",
    ("lab", "start"): "lab up",
    ("lab", "stop"): "lab down",
    ("models", "list"): "show platforms",
    ("show", "models"): "show platforms",
    ("show", "skus"): "show platforms",
    ("show", "devices"): "show topology",
}


def reword(error: Any) -> None:
    """Add to a usage error what is probably meant.

    Name the variable that a wrong value comes from, and leave pydantic's words out.
    """
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    error.message = _with_unit(own_words(error.message), error.__cause__, parameter)
    error.message += _inventory(error.__cause__, context)
    error.message = _command(error.message, context) + _choice(error.message)
    if match := _EXTRA.fullmatch(error.message):
        error.message = _extra(match[1], context)
    option = getattr(error, "option_name", "")
    if context and any(option in one.opts for one in context.find_root().command.params):
        command = f"rocefab {option} {context.info_name}"
        error.message = f"{option} stands before the command: {command}"
    if context and (meant := _OPTION_INSTEAD.get((context.info_name, option))):
        error.possibilities = [meant]
    if context and option in _LISTEN and _has(context, "--listen"):
        error.possibilities = ["--listen ADDRESS:PORT"]
    if context is None or parameter is None or not parameter.envvar:
        return
    source = context.get_parameter_source(parameter.name)
    if source is not None and source.name == "ENVIRONMENT" and not error.param_hint:
        error.param_hint = f"{parameter.get_error_hint()} (variable {parameter.envvar})"


def _with_unit(message: str, cause: Any, parameter: Any) -> str:
    """Return which number is meant where an option has one with its unit; else the message."""
    if not isinstance(cause, ValidationError) or parameter is None:
        return message
    from fabric.intent.quantities import number_for

    meant = number_for(parameter.name, cause.errors()[0]["input"], "option")
    return f"use {meant[0]}: {meant[1]}" if meant else message


def _inventory(cause: Any, context: Any) -> str:
    """Return how to name the folder that stands in the place of a number; empty where none does."""
    if not isinstance(cause, ValidationError) or not _has(context, "--inventory"):
        return ""
    word = cause.errors()[0]["input"]
    is_folder = isinstance(word, str) and Path(word).is_dir()
    return f"; to name an inventory, use --inventory {word}" if is_folder else ""


def _has(context: Any, option: str) -> bool:
    return any(option in one.opts for one in context.command.params)


def _choice(message: str) -> str:
    """Return the choice that a word probably is, as the end of the message that rejects it."""
    word = _NO_CHOICE.fullmatch(message)
    if not word:
        return ""
    close = closest(word[1], word[2].split("', '"))
    return f" Did you mean {close}?" if close else ""


def _command(message: str, context: Any) -> str:
    """Return the message with the command that a word of another tool stands for."""
    word = _NO_COMMAND.fullmatch(message)
    if not word or context is None:
        return message
    group = "" if context.parent is None else context.info_name
    instead = _INSTEAD.get((group, word[2]))
    return f"{word[1]} Use `rocefab {instead}`." if instead else message


def _extra(words: str, context: Any) -> str:
    """Return what is wrong with words that no argument of the command takes."""
    if context and " " not in words and (ways := [*_ways(words, context)]):
        return f"unexpected: {words}. {'; '.join(ways)}"
    if context and context.info_name == "diff" and (before := context.params.get("before")):
        both = f"{before}..{context.params.get('inventory')} {words}"
        return f"unexpected: {words}. To compare two revisions, use rocefab diff {both}"
    if folder := _folder(words, context):
        return f"unexpected: {words}. To name the inventory, use --inventory {folder}"
    if context and _has(context, "--leaf"):
        return f"unexpected: {words}. To name a leaf, use --leaf {words.partition(' ')[0]}"
    flags = list(_flags(context)) if context else []
    takes = "take" if len(flags) > 1 else "takes"
    more = f"; {' and '.join(flags)} {takes} none" if flags else ""
    return f"unexpected: {words}. The value of an option follows its name: --OPTION VALUE{more}"


def _ways(word: str, context: Any) -> Iterator[str]:
    """Yield what a word alone may be: a device, or a place for output."""
    if _has(context, "--only") and not _has(context, "--inventory"):
        yield f"To select devices, use --only {word}"
    if _has(context, "--out"):
        yield f"To write there, use --out {word}"


def _folder(words: str, context: Any) -> str:
    """Return the inventory that stands where the command takes a name; empty where none does."""
    from fabric.intent.documents import MAIN_FILE

    if not context or not _has(context, "--inventory"):
        return ""
    taken = [value for value in context.params.values() if isinstance(value, str) and value]
    return next((word for word in (*taken, *words.split()) if Path(word, MAIN_FILE).is_file()), "")


def _flags(context: Any) -> Iterator[str]:
    """Yield the options of the call that take no value."""
    for one in context.command.params:
        source = context.get_parameter_source(one.name)
        if getattr(one, "is_flag", False) and source and source.name == "COMMANDLINE":
            yield one.opts[-1]
