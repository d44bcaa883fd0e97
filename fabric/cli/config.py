"""Defaults of options in files: `rocefab.toml` of a project, and the `config.toml` of the user."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FileError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Ignored, Position, Severity
from fabric.core.user_files import read_text
from fabric.core.validation import own_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import typer

#: The file of a project, in the current folder or a parent up to the repository.
PROJECT_FILE = "rocefab.toml"
#: Leaves that file out, so that who writes it decides nothing.
NO_PROJECT_FILE = "--no-project-file"
NO_PROJECT_FILE_VARIABLE = "NO_PROJECT_FILE"
#: Options that decide about changes, besides those that have no variable of the environment.
REFUSED = {"approvals", "ask-password"}
#: Options that a project must not set, nor any by a URL: who writes its file would choose where
#: passwords and figures go, and who answers.
USERS_OWN = {
    *("batfish", "connections", "listen", "otlp", "push", "syslog"),
    *("tls-cert", "tls-key", "token-file"),
}
#: What the environment says for an option without a value.
_YES = {"1", "true", "t", "yes", "y", "on"}


@dataclass(frozen=True)
class Setting:
    """One value of a file.

    Parameters
    ----------
    command : tuple of str
        Words after ``rocefab``; empty for an option of the command line itself.
    option : str
        Name as in the file: without dashes before it.
    parameter : str
        Name by which typer knows it.
    place : Position
        File and line.
    """

    command: tuple[str, ...]
    option: str
    parameter: str
    value: Any
    place: Position

    @property
    def where(self) -> str:
        """File and line in words."""
        return f"{self.place.file}:{self.place.line}"


def counts_project(words: Sequence[str] = ()) -> bool:
    """Tell whether the project's file counts, by the command line and the environment.

    The file is read before the command line is parsed, which rejects the option in a wrong place.
    """
    variable = os.environ.get(f"ROCEFAB_{NO_PROJECT_FILE_VARIABLE}", "")
    return NO_PROJECT_FILE not in words and variable.lower() not in _YES


def files(*, project: bool = True) -> list[Path]:
    """Return the files that exist; a later one counts more."""
    return [*([_user_file()] if _user_file().is_file() else []), *(_project() if project else [])]


def _project() -> list[Path]:
    here = Path.cwd()
    above = [here, *here.parents]
    repository = next((n for n, folder in enumerate(above) if (folder / ".git").exists()), 0)
    places = [folder / PROJECT_FILE for folder in above[: repository + 1]]
    return [file for file in places if file.is_file()][:1]


def _user_file() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(home).expanduser() / "rocefab" / "config.toml"


def settings(root: Any, *, project: bool = True) -> list[Setting]:
    """Return the values of all files, checked by the command tree.

    Raises
    ------
    InputError
        With every line that is wrong.
    """
    found, wrong = [], []
    for file in files(project=project):
        reader = _Reader(file)
        found += list(reader.read(root))
        wrong += reader.findings
    if wrong:
        raise InputError("the configuration is not valid", wrong)
    return found


def default_map(found: list[Setting]) -> dict[str, Any]:
    """Return defaults in the form of typer: by command, then by parameter."""
    result: dict[str, Any] = {}
    for one in found:
        node = result
        for word in one.command:
            node = node.setdefault(word, {})
        node[one.parameter] = one.value
    return result


def in_force(root: Any, *, project: bool = True) -> list[tuple[str, str, str, str]]:
    """Return option, value, origin and commands of everything that is not the default.

    A variable of the environment counts more than a file, a project's file more than the user's.
    """
    from_files = {(one.command, one.parameter): one for one in settings(root, project=project)}
    rows: dict[tuple[str, str, str], list[str]] = {}
    for words, command in _commands(root, ()):
        for name, parameter in _named(command):
            one = from_files.get((words, parameter.name))
            variable = parameter.envvar or ""
            if os.environ.get(variable):
                key = (name, _shown(os.environ[variable]), variable)
            elif one:
                key = (name, _shown(one.value), one.where)
            else:
                continue
            rows.setdefault(key, []).append(" ".join(words) or "rocefab")
    return [(*key, ", ".join(commands)) for key, commands in rows.items()]


def misnamed_variables(word: str, command: Any) -> Iterator[tuple[str, str]]:
    """Yield variables that name a command and are those of no option, and the right ones.

    The variable of ``check --fail-on`` is ``ROCEFAB_FAIL_ON``, not ``ROCEFAB_CHECK_FAIL_ON``.
    """
    start = f"ROCEFAB_{word.upper().replace('-', '_')}_"
    named = [name for name in sorted(os.environ) if name.startswith(start)]
    if not named:
        return
    variables = {
        parameter.envvar for _, one in _commands(command, ()) for _, parameter in _named(one)
    }
    for name in named:
        right = f"ROCEFAB_{name.removeprefix(start)}"
        if name not in variables and right in variables:
            yield name, right


def ignored_rules(context: typer.Context, ignore: Sequence[str] | None) -> Ignored | None:
    """Return the rules that `--ignore` of a command names, and who says that; None without any."""
    if not ignore:
        return None
    source = context.get_parameter_source("ignore")
    name = source.name if source else ""
    place = Position("ROCEFAB_IGNORE" if name == "ENVIRONMENT" else "--ignore")
    if name == "DEFAULT_MAP":
        command = (context.info_name, "ignore")
        for setting in settings(context.obj()):  # the last file counts
            if (*setting.command, setting.option) == command:
                place = setting.place
    return Ignored(tuple(ignore), place)


def _shown(value: Any) -> str:
    """Return a value as text, without the user and password of a URL."""
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return re.sub(r"://[^/@\s]*@", "://***@", text)


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _commands(child, (*words, name))


class _Reader:
    """Reads one file, and keeps what is wrong with it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._shown = os.path.relpath(file) if file.name == PROJECT_FILE else str(file)
        self._text = ""
        self.findings: list[Finding] = []

    def read(self, root: Any) -> Iterator[Setting]:
        """Yield the values of the file."""
        import tomllib

        try:
            self._text = read_text(self._file, FileKind.SETTINGS)
            tables = tomllib.loads(self._text)
        except FileError as error:
            self._add("", 1, error.finding.message, error.finding.fix)
            return
        except RecursionError:
            self._add("", 1, "not TOML: nested too deeply", "remove the brackets")
            return
        except ValueError as error:  # a number of too many digits is no error of TOML
            line = re.search(r"line (\d+)", str(error))
            self._add("", int(line[1]) if line else 1, f"not TOML: {error}", "correct the line")
            return
        yield from self._table(root, (), tables)

    def _table(
        self, command: Any, words: tuple[str, ...], table: Mapping[str, Any]
    ) -> Iterator[Setting]:
        children = getattr(command, "commands", {})
        options = dict(_named(command))
        for key, value in table.items():
            path = (*words, key)
            if key in children and isinstance(value, dict):
                yield from self._table(children[key], path, value)
            elif key not in options:
                near = difflib.get_close_matches(key, [*options, *children], 1)
                fix = f"did you mean {near[0]!r}?" if near else "see `rocefab --help`"
                kind = "command" if isinstance(value, dict) else "option"
                self._wrong(path, f"unknown {kind}", fix)
            elif not options[key].envvar or key in REFUSED:
                fix = "remove the line; set it on the command line, each time"
                self._wrong(path, "cannot have a default in a file", fix)
            elif self._file.name == PROJECT_FILE and (key in USERS_OWN or "://" in str(value)):
                fix = f"set it in {_user_file()}, in the environment or on the command line"
                self._wrong(path, "cannot be set by a project", fix)
            elif reason := _reason(command, options[key], value):
                self._wrong(path, reason, f"see `rocefab {' '.join((*words, '--help'))}`")
            else:
                where = Position(self._shown, self._line_of(path))
                known = self._placed(options[key], value)
                yield Setting(words, key, options[key].name, known, where)

    def _placed(self, parameter: Any, value: Any) -> Any:
        """Return a value; a relative path is one from the folder of the file."""
        if not _is_path(parameter):
            return value
        folder = Path(os.path.relpath(self._file.parent))
        if isinstance(value, list):
            return [str(folder / one) for one in value]
        return str(folder / value) if "://" not in value else value

    def _wrong(self, path: tuple[str, ...], message: str, fix: str) -> None:
        self._add(".".join(path), self._line_of(path), message, fix)

    def _add(self, field: str, line: int, message: str, fix: str) -> None:
        position = Position(self._shown, line, 1)
        self.findings.append(Finding("CLI001", Severity.ERROR, message, fix, field, position))

    def _line_of(self, path: tuple[str, ...]) -> int:
        """Return the line of a key, or of the table that has it."""
        section: tuple[str, ...] = ()
        for number, line in enumerate(self._text.splitlines(), 1):
            if header := re.match(r"\[([^\[\]]+)\]", line.strip()):
                section = _words(header[1])
                if section == path:
                    return number
            elif "=" in line and (*section, *_words(line.partition("=")[0])) == path:
                return number
        return self._line_of(path[:-1]) if len(path) > 1 else 1


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip().strip("\"'") for word in text.split("."))


def _named(command: Any) -> Iterator[tuple[str, Any]]:
    """Yield names as files have them, with what they stand for."""
    for one in command.params:
        if one.param_type_name == "argument":
            yield one.name.replace("_", "-"), one
        else:
            longest = max(one.opts, key=len)
            yield longest.removeprefix("--"), one


def _is_path(parameter: Any) -> bool:
    return "Path" in str(parameter.type_descriptor.annotation)


def _is_text(value: Any) -> bool:
    return all(isinstance(one, str) for one in (value if isinstance(value, list) else [value]))


def _reason(command: Any, parameter: Any, value: Any) -> str:
    """Say why a value cannot be one of an option; empty where it can."""
    import typer

    if (parameter.type_descriptor.annotation is bool) != isinstance(value, bool):
        return f"{value!r} is not a value of it"
    if isinstance(value, bool):
        return ""
    if isinstance(value, dict):
        return "an option has a value, not a table"
    if parameter.multiple != isinstance(value, list):
        return "use a list of values" if parameter.multiple else "use one value, no list"
    if _is_path(parameter):
        return "" if _is_text(value) else f"{value!r} is not a path"
    texts = [str(one) for one in value] if isinstance(value, list) else str(value)
    try:
        parameter.get_runtime_param().coerce(texts, param=parameter, ctx=typer.Context(command))
    except typer.BadParameter as error:
        return own_words(error.message).rstrip(".")
    return ""
