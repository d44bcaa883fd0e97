"""The ordinary commands that every stand-in has: files, text and the account.

Known: IEEE Std 1003.1-2017 and GNU coreutils for the options named here. An option that is not
named is refused with code 2, as a stand-in must not guess.
"""

from __future__ import annotations

import posixpath
import re
import secrets
import shutil
import stat
from typing import TYPE_CHECKING

from fabric.lab.shell.find import find
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.lab.shell.state import Context, Tool


def split_options(
    argv: list[str], flags: str, valued: str = ""
) -> tuple[dict[str, str], list[str]]:
    """Split words into options and operands.

    Parameters
    ----------
    argv : list of str
        Words, the command first.
    flags, valued : str
        Letters of the options without and with a value.

    Raises
    ------
    ValueError
        With the message for stderr, when an option is not known.
    """
    options: dict[str, str] = {}
    words = argv[1:]
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in valued:
                options[letter] = letters or (words.pop(0) if words else "")
                letters = ""
            elif letter in flags:
                options[letter] = ""
            else:
                raise ValueError(f"{argv[0]}: unsupported option -- '{letter}'")
    return options, words


def refuses_bad_options(tool: Tool) -> Tool:
    """Turn the ``ValueError`` of :func:`split_options` into exit code 2."""

    def wrapped(context: Context, argv: list[str], stdin: str) -> Result:
        try:
            result = tool(context, argv, stdin)
        except ValueError as error:
            return Result("", f"{error}\n", 2)
        assert isinstance(result, Result)
        return result

    return wrapped


def read_inputs(context: Context, operands: list[str], stdin: str) -> str:
    """Return the joined text of the operands, or of stdin without any."""
    if not operands:
        return stdin
    return "".join(stdin if name == "-" else read_file(context, name) for name in operands)


def read_file(context: Context, name: str) -> str:
    """Read a file named relative to the directory of the shell."""
    try:
        return context.shell.fs.read(context.shell.fs.name_of(name, context.shell.cwd))
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


def write_file(context: Context, name: str, text: str, *, append: bool = False) -> None:
    """Write a file named relative to the directory of the shell."""
    path = context.shell.fs.name_of(name, context.shell.cwd)
    context.shell.check_write(path, name)
    context.shell.fs.write(path, text, append=append)


def _echo(_context: Context, argv: list[str], _stdin: str) -> Result:
    words, end = argv[1:], "\n"
    if words and words[0] == "-n":
        words, end = words[1:], ""
    return Result(" ".join(words) + end)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "a": "\a"}


def _printf(_context: Context, argv: list[str], _stdin: str) -> Result:
    if len(argv) == 1:
        return Result("", "printf: usage: printf format [arguments]\n", 2)
    form = re.sub(r"\\([ntr\\\"a])", lambda match: _ESCAPES[match.group(1)], argv[1])
    arguments, text = argv[2:], ""
    while True:
        before = len(arguments)

        def fill(match: re.Match[str]) -> str:
            if match.group(2) == "%":
                return "%"
            value = arguments.pop(0) if arguments else ""
            if match.group(2) == "s":
                return f"%{match.group(1)}s" % value
            if match.group(2) in "dxo":
                return f"%{match.group(1)}{match.group(2)}" % int(value or "0", 0)
            raise ValueError(match.group())

        text += re.sub(r"%([-0-9.]*)([a-zA-Z%])", fill, form)
        if not arguments or len(arguments) == before:
            return Result(text)


def _cat(context: Context, argv: list[str], stdin: str) -> Result:
    _, names = split_options(argv, "u")
    text, errors = "", ""
    for name in names or ["-"]:
        try:
            text += stdin if name == "-" else read_file(context, name)
        except OSError as error:
            errors += f"cat: {name}: {error.strerror}\n"
    return Result(text, errors, int(bool(errors)))


def _tee(context: Context, argv: list[str], stdin: str) -> Result:
    options, names = split_options(argv, "a")
    errors = ""
    for name in names:
        try:
            write_file(context, name, stdin, append="a" in options)
        except OSError as error:
            errors += f"tee: {name}: {error.strerror}\n"
    return Result(stdin, errors, int(bool(errors)))


def _target(context: Context, source: str, target: str) -> str:
    path = context.shell.fs.name_of(target, context.shell.cwd)
    if context.shell.fs.is_dir(path):
        path = posixpath.join(path, posixpath.basename(source.rstrip("/")))
    return path


def _cp(context: Context, argv: list[str], _stdin: str) -> Result:
    _, names = split_options(argv, "pfa")
    if len(names) < 2:  # noqa: PLR2004  (source and target)
        return Result("", "cp: missing file operand\n", 1)
    for source in names[:-1]:
        path = _target(context, source, names[-1])
        write_file(context, path, read_file(context, source))
        mode = context.shell.fs.local(source, context.shell.cwd).stat().st_mode & 0o777
        context.shell.fs.local(path).chmod(mode)
    return Result()


def _mv(context: Context, argv: list[str], _stdin: str) -> Result:
    _, names = split_options(argv, "fT")
    if len(names) != 2:  # noqa: PLR2004  (source and target)
        return Result("", "mv: exactly two operands are supported\n", 1)
    fs, path = context.shell.fs, _target(context, names[0], names[1])
    source = fs.name_of(names[0], context.shell.cwd)
    if not fs.exists(source):
        return Result("", f"mv: cannot stat '{names[0]}': No such file or directory\n", 1)
    context.shell.check_write(path, names[1])
    context.shell.check_write(source, names[0])
    fs.local(source).replace(fs.local(path))
    return Result()


def _rm(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "frR")
    errors = ""
    for name in names:
        path = context.shell.fs.name_of(name, context.shell.cwd)
        folder, _, last = path.rpartition("/")
        local = context.shell.fs.local(folder or "/") / last
        local = local if local.is_symlink() else context.shell.fs.local(path)
        if not context.shell.fs.may_write(path, root=context.shell.root) or path == "/":
            errors += f"rm: cannot remove '{name}': Permission denied\n"
        elif local.is_symlink():
            local.unlink()  # the link, not what it leads to
        elif local.is_dir():
            if {"r", "R"} & set(options):
                shutil.rmtree(local)
            else:
                errors += f"rm: cannot remove '{name}': Is a directory\n"
        elif local.exists():
            local.unlink()
        elif "f" not in options:
            errors += f"rm: cannot remove '{name}': No such file or directory\n"
    return Result("", errors, int(bool(errors)))


def _mkdir(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "p", "m")
    for name in names:
        path = context.shell.fs.name_of(name, context.shell.cwd)
        local = context.shell.fs.local(path)
        if not context.shell.fs.may_write(path, root=context.shell.root):
            return _refused("mkdir: cannot create directory", name, "Permission denied")
        if local.exists() and "p" not in options:
            return _refused("mkdir: cannot create directory", name, "File exists")
        if not local.parent.is_dir() and "p" not in options:
            return _refused("mkdir: cannot create directory", name, "No such file or directory")
        context.shell.fs.mkdir(path)
        if "m" in options:
            local.chmod(int(options["m"], 8))
    return Result()


def _refused(what: str, name: str, why: str) -> Result:
    return Result("", f"{what} '{name}': {why}\n", 1)


def _install(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "Dd", "mog")
    fs = context.shell.fs
    if "d" in options:
        result = _mkdir(context, ["mkdir", "-p", *names], "")
        for name in names if result.rc == 0 else ():
            path = context.shell.fs.name_of(name, context.shell.cwd)
            context.shell.fs.local(path).chmod(int(options.get("m", "755"), 8))
        return result
    if len(names) < 2:  # noqa: PLR2004  (source and target)
        return Result("", "install: missing file operand\n", 1)
    *sources, target = names
    if len(sources) > 1 and not fs.is_dir(fs.name_of(target, context.shell.cwd)):
        return Result("", f"install: target '{target}': No such file or directory\n", 1)
    for source in sources:
        path = _target(context, source, target)
        text = read_file(context, source)
        if not fs.may_write(path, root=context.shell.root):
            return _refused("install: cannot create regular file", target, "Permission denied")
        if "D" in options:
            fs.mkdir(posixpath.dirname(path))
        write_file(context, path, text)
        fs.local(path).chmod(int(options.get("m", "755"), 8))
    return Result()


def _mktemp(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "d")
    if "d" not in options or len(names) != 1 or not names[0].endswith("XXXXXX"):
        return Result("", "mktemp: only -d TEMPLATE is supported\n", 1)
    stem = names[0].rstrip("X")
    path = stem + secrets.token_hex(len(names[0]))[: len(names[0]) - len(stem)]
    if not context.shell.fs.may_write(path, root=context.shell.root):
        return _refused("mktemp: failed to create directory via template", names[0], "denied")
    context.shell.fs.mkdir(path)
    context.shell.fs.local(path).chmod(0o700)
    return Result(f"{path}\n")


def _ls(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "1ald")
    fs, text, errors = context.shell.fs, "", ""
    for name in names or ["."]:
        path = fs.name_of(name, context.shell.cwd)
        if not fs.exists(path):
            errors += f"ls: cannot access '{name}': No such file or directory\n"
            continue
        folder = fs.is_dir(path) and "d" not in options
        entries = fs.listing(path) if folder else [name]
        text += f"{name}:\n" if folder and len(names) > 1 else ""
        text += "total 0\n" if folder and "l" in options else ""
        for entry in entries:
            if entry.startswith(".") and folder and "a" not in options:
                continue
            place = posixpath.join(path, entry) if folder else path
            text += f"{_long(fs.top / place.lstrip('/'), entry) if 'l' in options else entry}\n"
    return Result(text, errors, 2 if errors else 0)


def _long(place: Path, name: str) -> str:
    """Return a line of ``ls -l``; owner and time are always the same."""
    info = place.lstat()
    target = f" -> {place.readlink()}" if place.is_symlink() else ""
    size = 0 if target else info.st_size
    return f"{stat.filemode(info.st_mode)} 1 root root {size} Nov 19 09:00 {name}{target}"


def _chmod(context: Context, argv: list[str], _stdin: str) -> Result:
    if len(argv) < 3 or not re.fullmatch(r"[0-7]{3,4}|[ugoa]*\+x", argv[1]):  # noqa: PLR2004
        return Result("", "chmod: only octal modes and +x are supported\n", 2)
    for name in argv[2:]:
        path = context.shell.fs.name_of(name, context.shell.cwd)
        if not context.shell.fs.exists(path):
            return _refused("chmod: cannot access", name, "No such file or directory")
        if not context.shell.fs.may_write(path, root=context.shell.root):
            return _refused("chmod: changing permissions of", name, "Operation not permitted")
        local = context.shell.fs.local(path)
        octal = argv[1].isdigit()
        local.chmod(int(argv[1], 8) if octal else local.stat().st_mode | 0o111)
    return Result()


def _readlink(context: Context, argv: list[str], _stdin: str) -> Result:
    options, names = split_options(argv, "fe")
    fs, text = context.shell.fs, ""
    for name in names:
        place = fs.top / fs.name_of(name, context.shell.cwd).lstrip("/")
        local = fs.local(name, context.shell.cwd)
        if options and (local if "e" in options else local.parent).exists():
            text += f"/{local.relative_to(fs.top)}\n"
        elif not options and place.is_symlink():
            text += f"{place.readlink()}\n"
    return Result(text, "", int(not text))


def _basename(_context: Context, argv: list[str], _stdin: str) -> Result:
    if len(argv) != 2:  # noqa: PLR2004  (one name)
        return Result("", f"{argv[0]}: exactly one operand is supported\n", 1)
    word, stem = argv[1], argv[1].rstrip("/")
    if argv[0].endswith("basename"):
        return Result(f"{posixpath.basename(stem) or word[:1]}\n")
    return Result(f"{posixpath.dirname(stem) or ('/' if word[:1] == '/' else '.')}\n")


def _pwd(context: Context, _argv: list[str], _stdin: str) -> Result:
    return Result(context.shell.cwd + "\n")


def _id(context: Context, argv: list[str], _stdin: str) -> Result:
    name = "root" if context.shell.root else context.shell.user
    number = "0" if context.shell.root else "1000"
    if argv[0].endswith("whoami") or argv[1:] == ["-un"]:
        return Result(name + "\n")
    if argv[1:] == ["-u"]:
        return Result(number + "\n")
    if argv[1:]:
        return Result("", "id: only -u and -un are supported\n", 1)
    return Result(f"uid={number}({name}) gid={number}({name}) groups={number}({name})\n")


FILE_TOOLS: dict[str, Tool] = {
    name: refuses_bad_options(tool)
    for name, tool in {
        "echo": _echo,
        "printf": _printf,
        "cat": _cat,
        "tee": _tee,
        "cp": _cp,
        "mv": _mv,
        "rm": _rm,
        "mkdir": _mkdir,
        "mktemp": _mktemp,
        "install": _install,
        "ls": _ls,
        "find": find,
        "chmod": _chmod,
        "readlink": _readlink,
        "basename": _basename,
        "dirname": _basename,
        "pwd": _pwd,
        "id": _id,
        "whoami": _id,
        "true": lambda _context, _argv, _stdin: Result(),
        ":": lambda _context, _argv, _stdin: Result(),
        "false": lambda _context, _argv, _stdin: Result(rc=1),
    }.items()
}
