"""The syntax tree of a shell text, as shfmt reads it.

Known: the nodes are those of the package ``syntax`` of mvdan/sh, as ``shfmt --to-json`` writes
them; its dialect ``posix`` is the Shell Command Language of IEEE Std 1003.1-2017. What the
interpreter does not run is a syntax error here, among it back-quotes, arithmetic, ``[[``, ``$'``
and background jobs.
"""

from __future__ import annotations

import json
import re
import sysconfig
from dataclasses import dataclass
from functools import cache, lru_cache
from shutil import which
from typing import TYPE_CHECKING, Any

from fabric.programs.run import run

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = dict[str, Any]

_TYPES = frozenset(
    "File CallExpr IfClause ForClause WordIter WhileClause CaseClause FuncDecl Block Subshell"
    " BinaryCmd Lit SglQuoted DblQuoted ParamExp CmdSubst".split()
)
_FIELDS = frozenset(
    "Type Stmts Cmd Redirs Negated Op X Y Args Assigns Name Value Parts Param Short Length Exp Word"
    " Hdoc N Cond Then Else Loop Items InPos Do Until Patterns Body Parens".split()
)
_OPERATORS = frozenset("&& || | ;; < > >> << >& :- - := = :? ? :+ + % %% # ##".split())
_RESERVED = frozenset({"[[", "((", "select", "coproc", "function", "time"})
_IN_QUOTES, _IN_DOCUMENT = '$`"\\', "$`\\"
_RANDOM = re.compile(r"(?<![0-9a-z])[0-9a-f]{12,}(?![0-9a-z])")
_INCOMPLETE = re.compile(r"reached EOF|unclosed|must (be followed by|end with)")


#: Seconds that shfmt may take; our choice: a busy machine is no error.
_TIMEOUT_S = 60


class ShellSyntaxError(Exception):
    """The text is not a command that this shell understands."""


class IncompleteError(ShellSyntaxError):
    """More lines are needed before the text is a command."""


@dataclass(frozen=True, slots=True)
class Text:
    """Literal characters."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$name``, ``${name}``, ``${name<operator>word}``; ``${#name}`` has the operator ``len``."""

    name: str
    quoted: bool
    operator: str = ""
    word: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(statements)``."""

    statements: list[Node]
    quoted: bool


Part = Text | Parameter | Substitution


def parse(text: str) -> list[Node]:
    """Return the statements of a shell text.

    Raises
    ------
    ShellSyntaxError
        When the text is not a command; ``IncompleteError`` when more lines could make it one.

    Notes
    -----
    Clients mark each command with a random number. Texts that differ in such numbers alone are
    parsed once.
    """
    if "_random" in text:
        return _parsed(text)
    numbers = dict.fromkeys(_RANDOM.findall(text))
    names = {number: f"_random{place}_" for place, number in enumerate(numbers)}
    statements = _parsed(_RANDOM.sub(lambda number: names[number[0]], text))
    back = {name: number for number, name in names.items()}
    restored: list[Node] = _restored(statements, back) if back else statements
    return restored


def _restored(node: Any, numbers: dict[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _restored(value, numbers) for key, value in node.items()}
    if isinstance(node, list):
        return [_restored(value, numbers) for value in node]
    if isinstance(node, str) and "_random" in node:
        return re.sub(r"_random\d+_", lambda name: numbers.get(name[0], name[0]), node)
    return node


@lru_cache(maxsize=4096)
def _parsed(text: str) -> list[Node]:
    given = text.encode(errors="surrogateescape")
    answer = run([shfmt(), "-ln", "posix", "--to-json"], _TIMEOUT_S, given=given)
    if answer.code:
        reason = answer.complaint.strip().partition(": ")[2]
        kind = IncompleteError if _INCOMPLETE.search(reason) else ShellSyntaxError
        raise kind(f"syntax error: {reason}")
    tree: Node = json.loads(
        answer.out.decode(errors="surrogateescape"), object_hook=_without_positions
    )
    for node in _nodes(tree):
        _check(node)
    statements: list[Node] = tree.get("Stmts", [])
    return statements


@cache
def shfmt() -> str:
    """Return the path of shfmt, that of this environment first; empty where there is none."""
    return which("shfmt", path=sysconfig.get_path("scripts")) or which("shfmt") or ""


def _without_positions(node: Node) -> Node | None:
    if "Offset" in node:
        return None
    kept = {key: value for key, value in node.items() if value is not None or key == "InPos"}
    return {key: value for key, value in kept.items() if key not in ("Comments", "Last")}


def _nodes(node: Any) -> Iterator[Node]:
    if isinstance(node, dict):
        yield node
    below = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in below:
        yield from _nodes(child)


def _check(node: Node) -> None:
    """Refuse what the interpreter does not run."""
    unknown = [
        *({node.get("Type", "Lit")} - _TYPES),
        *(node.keys() - _FIELDS),
        *({node.get("Op", "|")} - _OPERATORS),
        *({_first_word(node)} & _RESERVED),
    ]
    if unknown:
        raise ShellSyntaxError(f"syntax error: `{unknown[0]}' is not supported")


def _first_word(node: Node) -> str:
    parts = node["Args"][0]["Parts"] if "Args" in node else []
    return str(parts[0].get("Value", "")) if parts else ""


def parts_of(word: Node | None, special: str = "") -> tuple[Part, ...]:
    """Return the parts of a word.

    Parameters
    ----------
    special : str
        Characters that a backslash quotes where other text is quoted already; empty outside of
        quotes.
    """
    return tuple(part for node in (word or {}).get("Parts", ()) for part in _part(node, special))


def here_document(redirection: Node) -> tuple[Part, ...]:
    """Return the body of a here-document; a quoted delimiter keeps it as it is."""
    delimiter, body = redirection["Word"]["Parts"], redirection.get("Hdoc", {})
    if all(part["Type"] == "Lit" and "\\" not in part["Value"] for part in delimiter):
        return parts_of(body, _IN_DOCUMENT)
    return tuple(Text(part["Value"], quoted=True) for part in body.get("Parts", ()))


def _part(node: Node, special: str) -> Iterator[Part]:
    quoted = bool(special)
    match node["Type"]:
        case "Lit" if quoted:
            text = re.sub(rf"\\([{re.escape(special)}])", r"\1", node["Value"])
            yield Text(text.replace("\\\n", ""), quoted)
        case "Lit":
            for place, text in enumerate(re.split(r"(?s)\\(.)", node["Value"])):
                yield from [Text(text, quoted=bool(place % 2))] if text else []
        case "SglQuoted":
            yield Text(node.get("Value", ""), quoted=True)
        case "DblQuoted":
            yield Text("", quoted=True)
            yield from parts_of(node, _IN_QUOTES)
        case "CmdSubst":
            yield Substitution(node.get("Stmts", []), quoted)
        case _:
            expansion = node.get("Exp", {})
            operator = "len" if "Length" in node else expansion.get("Op", "")
            word = parts_of(expansion.get("Word"))
            yield Parameter(node["Param"]["Value"], quoted, operator, word)
