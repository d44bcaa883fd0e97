"""Commands that read text: checksums, search, order, counts and comparison.

Known: IEEE Std 1003.1-2017 and GNU coreutils for the options named here; ``grep`` knows simple
basic expressions and, with ``-E``, those of Python.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fabric.lab.shell.files import read_file, read_inputs, refuses_bad_options, split_options
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool


def _sha256sum(context: Context, argv: list[str], stdin: str) -> Result:
    options, names = split_options(argv, "c")

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    if "c" not in options:
        pairs = [(name, read_file(context, name)) for name in names] or [("-", stdin)]
        return Result("".join(f"{digest(text)}  {name}\n" for name, text in pairs))
    text, failed = "", 0
    for line in read_inputs(context, names, stdin).splitlines():
        wanted, _, name = line.partition("  ")
        good = digest(read_file(context, name)) == wanted
        failed += not good
        text += f"{name}: {'OK' if good else 'FAILED'}\n"
    note = f"sha256sum: WARNING: {failed} computed checksum did NOT match\n" if failed else ""
    return Result(text, note, int(bool(failed)))


def _grep(context: Context, argv: list[str], stdin: str) -> Result:
    options, words = split_options(argv, "qFxivocEwHrs", "e")
    several = [after for word, after in pairwise(argv) if word == "-e"]
    patterns = several or [options["e"] if "e" in options else (words.pop(0) if words else "")]
    pattern = "|".join(patterns) if len(patterns) > 1 else patterns[0]
    expression = "|".join(map(re.escape, patterns)) if "F" in options else pattern
    if "F" not in options and "E" not in options and re.search(r"\\[(|+?{]", pattern):
        return Result("", "grep: only simple basic expressions are supported\n", 2)
    if "w" in options:
        expression = rf"(?<!\w)(?:{expression})(?!\w)"
    flags = re.IGNORECASE if "i" in options else 0
    search = re.compile(expression, flags)
    test = search.fullmatch if "x" in options else search.search
    names = words or ["-"]
    if "r" in options:
        names = [file for name in names for file in _files_below(context, name)]
        if not names:
            return Result(rc=2)
    text, count = "", 0
    for name in names:
        content = stdin if name == "-" else read_file(context, name)
        for line in content.splitlines():
            if bool(test(line)) != ("v" in options):
                count += 1
                match = search.search(line)
                shown = match.group() if "o" in options and match else line
                named = len(names) > 1 or not {"H", "r"}.isdisjoint(options)
                text += f"{name}:{shown}\n" if named else f"{shown}\n"
    if "c" in options:
        text = f"{count}\n"
    return Result("" if "q" in options else text, "", int(count == 0))


def _files_below(context: Context, name: str) -> list[str]:
    """Return the files below a folder, or the file itself."""
    fs = context.shell.fs
    path = fs.name_of(name, context.shell.cwd)
    if not fs.exists(path):
        return []
    if not fs.is_dir(path):
        return [name]
    return [file for one in fs.listing(path) for file in _files_below(context, f"{name}/{one}")]


def _sort(context: Context, argv: list[str], stdin: str) -> Result:
    options, names = split_options(argv, "urn")
    lines = read_inputs(context, names, stdin).splitlines()
    number = re.compile(r"\s*(-?[0-9]+)")

    def key(line: str) -> tuple[int, str]:
        match = number.match(line) if "n" in options else None
        return (int(match.group(1)) if match else 0, line)

    ordered = sorted(set(lines) if "u" in options else lines, key=key, reverse="r" in options)
    return Result("".join(f"{line}\n" for line in ordered))


def _ends(context: Context, argv: list[str], stdin: str) -> Result:
    words = [re.sub(r"^-([0-9]+)$", r"-n\1", word) for word in argv]
    options, names = split_options(words, "", "nc")
    text = read_inputs(context, names, stdin)
    unit = list(text) if "c" in options else text.splitlines(keepends=True)
    size = options.get("c", options.get("n", "10"))
    count = int(size.lstrip("-+"))
    if argv[0].endswith("tail"):
        chosen = unit[count - 1 :] if size.startswith("+") else unit[len(unit) - count :]
        if not size.startswith("+") and count >= len(unit):
            chosen = unit
    else:
        chosen = unit[: -count if size.startswith("-") else count]
    return Result("".join(chosen))


def _wc(context: Context, argv: list[str], stdin: str) -> Result:
    options, names = split_options(argv, "lwc")
    text = read_inputs(context, names, stdin)
    figures = {"l": text.count("\n"), "w": len(text.split()), "c": len(text.encode())}
    shown = [str(value) for letter, value in figures.items() if letter in options or not options]
    return Result(" ".join([*shown, *names]) + "\n")


def _cmp(context: Context, argv: list[str], _stdin: str) -> Result:
    quiet, names = split_options(argv, "sq")
    if len(names) != 2:  # noqa: PLR2004  (two files)
        return Result("", f"{argv[0]}: exactly two files are supported\n", 2)
    try:
        same = read_file(context, names[0]) == read_file(context, names[1])
    except OSError as error:
        return Result("", f"{argv[0]}: {error.filename}: {error.strerror}\n", 2)
    if argv[0].endswith("diff"):
        if "q" not in quiet:
            return Result("", "diff: only -q is supported\n", 2)
        return Result(
            "" if same else f"Files {names[0]} and {names[1]} differ\n", "", int(not same)
        )
    return Result("" if same or quiet else f"{names[0]} {names[1]} differ\n", "", int(not same))


_TOOLS: dict[str, Tool] = {
    "sha256sum": _sha256sum,
    "grep": _grep,
    "sort": _sort,
    "head": _ends,
    "tail": _ends,
    "wc": _wc,
    "cmp": _cmp,
    "diff": _cmp,
}
TEXT_TOOLS: dict[str, Tool] = {name: refuses_bad_options(tool) for name, tool in _TOOLS.items()}
