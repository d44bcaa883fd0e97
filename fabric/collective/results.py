"""Results of nccl-tests, rccl-tests and burn-in tests, read from what these wrote."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from json import JSONDecodeError
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

from fabric.collective.published import CollectiveKind
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json
from fabric.core.user_files import not_json, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

#: Lines of a burn-in report: our choice, twelve tests of each of 8,192 pairs.
MAX_ROWS = 100_000
#: Tests by the collective whose bus bandwidth they show: those along rings count as an all-reduce
#: (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
TESTS = {
    "all_reduce": CollectiveKind.ALL_REDUCE,
    "all_gather": CollectiveKind.ALL_REDUCE,
    "reduce_scatter": CollectiveKind.ALL_REDUCE,
    "alltoall": CollectiveKind.ALL_TO_ALL,
}
_TEST = re.compile(r"(\w+?)_perf\b")
#: ``src/util.cu`` of NVIDIA/nccl-tests 0fdb00a3; versions before 2.14 print no group.
_RANK = re.compile(r"#?\s*Rank\s+(\d+)\s+(?:Group\s+\d+\s+)?Pid\s+\d+\s+on\s+(\S+)\s+device\s")
_HCA = re.compile(r"NCCL_IB_HCA(?: set by environment to |=)([^\s\"',]+(?:,[^\s\"',]+)*)")
_COLUMNS = ("hosts", "gbyte_s", "rails", "collective")
#: Most GB/s of a bus bandwidth that is no mistake: our choice, a rack of NVLink has 1,000.
_MOST_GBYTE_S = 100_000.0


@dataclass(frozen=True, slots=True)
class MeasuredBandwidth:
    """A measured bus bandwidth.

    Parameters
    ----------
    place : Position
        File, and line where it has several results.
    hosts : tuple of str
        Hosts in rank order.
    gbyte_s : float
        Bus bandwidth of the largest message in GB/s, > 0.
    rails : tuple of int or None
        Rails that were used, where the file names them.
    devices : str
        Value of NCCL_IB_HCA, where the file has it; else empty.
    """

    place: Position
    kind: CollectiveKind
    hosts: tuple[str, ...]
    gbyte_s: float
    rails: tuple[int, ...] | None = None
    devices: str = ""


def read_results(path: Path) -> list[MeasuredBandwidth]:
    """Return the results in a file; its form is seen by its content.

    Raises
    ------
    InputError
        When it is none of the forms, names no hosts, or a figure is impossible.
    """
    return list(results_of(path))


def results_of(path: Path) -> Iterator[MeasuredBandwidth]:
    """Yield the results in a file; raises as `read_results`, after the lines of it that are good.

    So who reads on can name all that is wrong with a file at once.
    """
    text = read_text(path, FileKind.BANDWIDTH)
    if text.lstrip()[:1] in ("{", "["):
        yield _json(path, text)
    elif re.search(r"^#.*\bbusbw\b", text, re.MULTILINE):
        yield _text(path, text)
    else:
        yield from _table(path, text)


def _text(path: Path, text: str) -> MeasuredBandwidth:
    """Return what a test printed; other lines, such as of NCCL_DEBUG, are passed over."""
    ranks = {int(number): host for number, host in _RANK.findall(text)}
    columns: list[str] = []
    best = (0, 0.0, 0)
    for number, line in enumerate(text.split("\n"), 1):
        words = line.lstrip("# ").split()
        if line.lstrip().startswith("#"):
            if "busbw" in words and ("time" in words or "cputime" in words):
                first = words.index("time" if "time" in words else "cputime")
                columns = words[first:]
        elif columns and words and words[0].isdigit() and len(words) > len(columns):
            best = max(best, (int(words[0]), _busbw(path, number, columns, words), number))
    test = _TEST.search(text)
    name = test[1] if test else path.name
    if not best[2]:
        _reject(path, 0, "no line with a bus bandwidth", "name the whole output of a test")
    hca = _HCA.search(text)
    devices = hca[1] if hca else ""
    hosts = _in_order(path, ranks)
    return MeasuredBandwidth(Position(str(path)), _kind(path, name), hosts, best[1], None, devices)


def _busbw(path: Path, number: int, columns: Sequence[str], words: Sequence[str]) -> float:
    """Return the larger of the bus bandwidths of a line, in place and out of place."""
    if columns[-1] == "timestamp":
        columns, words = columns[:-1], words[:-2]
    cells = list(zip(columns, words[-len(columns) :], strict=True))
    for name, cell in cells:
        if name in ("#wrong", "error") and cell not in ("N/A", "0") and _is_wrong(name, cell):
            _reject(path, number, f"{cell[:20]} values are wrong", "repair the host first")
    return max(
        _gbyte_s(path, number, cell) for name, cell in cells if name == "busbw" and cell != "N/A"
    )


def _is_wrong(name: str, cell: str) -> bool:
    """Whether a count of wrong values is above 0; ``error`` of old versions is a rounding."""
    return name == "#wrong" and cell.strip("0.e+-") != ""


def _gbyte_s(path: Path, number: int, cell: object) -> float:
    try:
        value = float(str(cell))
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not 0 <= value <= _MOST_GBYTE_S:
        message = f"bus bandwidth: {str(cell)[:40]!a} is not between 0 and {_MOST_GBYTE_S:,.0f}"
        _reject(path, number, message, "correct the line")
    return value


def _json(path: Path, text: str) -> MeasuredBandwidth:
    try:
        data = parse_json(text)
    except JSONDecodeError as error:
        raise not_json(path, FileKind.BANDWIDTH, error) from error
    if isinstance(data, list) or "config" not in data:
        rows = data if isinstance(data, list) else data.get("results", [])
        if rows and isinstance(rows, list) and isinstance(rows[0], dict) and "busBw" in rows[0]:
            fix = "use the text that the test prints, it has a line for each rank"
            _reject(path, 0, "JSON of rccl-tests has no host names", fix)
        _reject(path, 0, "no JSON of nccl-tests: it has no config", "write it with -J FILE")
    devices = _member(path, _member(path, data, "config", dict), "devices", list)
    ranks = {}
    for row in devices:
        if not isinstance(row, dict) or not isinstance(row.get("rank"), int):
            _reject(path, 0, "config.devices: a device has no rank", "write the file again")
        ranks[row["rank"]] = str(row.get("hostname") or "")
    best = (0, 0.0)
    for row in _member(path, data, "results", list):
        if isinstance(row, dict) and isinstance(row.get("size"), int):
            best = max(best, (row["size"], _of_row(path, row)))
    words = " ".join(map(str, _member(path, data, "args", list)))
    test = _TEST.search(words)
    hca = _HCA.search("\n".join(map(str, data.get("env") or [])))
    hosts = _in_order(path, ranks)
    if not best[1]:
        _reject(path, 0, "results: no bus bandwidth", "write the file again")
    kind = _kind(path, test[1] if test else path.name)
    return MeasuredBandwidth(Position(str(path)), kind, hosts, best[1], None, hca[1] if hca else "")


def _of_row(path: Path, row: dict[str, Any]) -> float:
    values = [0.0]
    for name in ("out_of_place", "in_place"):
        part = row.get(name)
        if isinstance(part, dict):
            wrong = part.get("nwrong")
            if isinstance(wrong, int | float) and wrong > 0:
                _reject(path, 0, f"results: {wrong:g} values are wrong", "repair the host first")
            values.append(_gbyte_s(path, 0, part.get("bus_bw")))
    return max(values)


def _member(path: Path, data: Any, name: str, kind: type) -> Any:
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind):
        what = "list" if kind is list else "group of values"
        _reject(path, 0, f"{name}: missing, or no {what}", "write the file again")
    return value


def _table(path: Path, text: str) -> Iterator[MeasuredBandwidth]:
    """Yield the lines of a burn-in report: hosts, gbyte_s, and rails and collective where given."""
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        if missing := [name for name in _COLUMNS[:2] if name not in head]:
            _reject(
                path,
                1,
                f"neither a result of nccl-tests nor a table: no column {missing[0]}",
                f"columns are {', '.join(_COLUMNS)}; a range of hosts is one cell",
            )
        if unknown := [name for name in head if name not in _COLUMNS]:
            _reject(path, 1, f"unknown column {unknown[0][:40]!a}", f"use {', '.join(_COLUMNS)}")
        wrong: list[Finding] = []
        for count, cells in enumerate(reader, 1):
            if count > MAX_ROWS:
                _reject(path, reader.line_num, f"more than {MAX_ROWS:,} lines", "split the file")
            if any(cells):
                row = dict(zip(head, map(str.strip, cells), strict=False))
                try:
                    result = _of_line(path, reader.line_num, row)
                except InputError as error:
                    wrong += error.findings
                else:
                    yield result
        if wrong:
            raise wrong_results(wrong)
    except csv.Error as error:
        _reject(path, reader.line_num, f"not CSV: {error}", "correct the line")


def _of_line(path: Path, number: int, row: dict[str, str]) -> MeasuredBandwidth:
    """Return a line of a report; raises InputError with each cell that is wrong."""
    wrong: list[Finding] = []
    cells: list[Any] = []
    for name, read in _READERS.items():
        try:
            cells.append(read(path, number, row.get(name, "")))
        except InputError as error:
            wrong += error.findings
    if wrong:
        raise wrong_results(wrong)
    hosts, gbyte_s, rails, kind = cells
    return MeasuredBandwidth(Position(str(path), number), kind, hosts, gbyte_s, rails)


def _hosts(path: Path, number: int, cell: str) -> tuple[str, ...]:
    try:
        hosts = hostlist.expand(cell)
    except ValueError as error:
        reason, fix = hostlist.worded(error, "use the form gpu[001-016]")
        _reject(path, number, f"hosts: {reason}", fix)
    if len(hosts) < 2 or not all(hosts):  # noqa: PLR2004 - a collective between hosts
        _reject(path, number, "hosts: fewer than two", "name the hosts of the test")
    return tuple(hosts)


def _of_a_test(path: Path, number: int, cell: str) -> float:
    gbyte_s = _gbyte_s(path, number, cell)
    if not gbyte_s:
        _reject(path, number, "gbyte_s: 0 is no result", "leave out tests that failed")
    return gbyte_s


def _rails(path: Path, number: int, cell: str) -> tuple[int, ...] | None:
    words = cell.split()
    if not all(word.isdecimal() and len(word) < 4 for word in words):  # noqa: PLR2004 - 0 to 999
        _reject(path, number, "rails: not numbers", "write them with spaces between: 0 1 2")
    return tuple(map(int, words)) or None


def _collective(path: Path, number: int, cell: str) -> CollectiveKind:
    word = cell or CollectiveKind.ALL_REDUCE.value
    if word not in tuple(CollectiveKind):
        names = " or ".join(CollectiveKind)
        _reject(path, number, f"collective: {word[:40]!a} is unknown", f"use {names}")
    return CollectiveKind(word)


#: What reads the cell of a column, in the order of ``_COLUMNS``.
_READERS: dict[str, Callable[[Path, int, str], Any]] = dict(
    zip(_COLUMNS, (_hosts, _of_a_test, _rails, _collective), strict=True)
)


def _in_order(path: Path, ranks: dict[int, str]) -> tuple[str, ...]:
    """Return the hosts in the order of their lowest rank."""
    hosts = tuple(dict.fromkeys(ranks[rank] for rank in sorted(ranks)))
    if not hosts or "" in hosts:
        _reject(path, 0, "no host names", "the lines `# Rank 0 ... on HOST device 0` are missing")
    return hosts


def _kind(path: Path, name: str) -> CollectiveKind:
    is_file = name == path.name
    kinds = [TESTS[test] for test in TESTS if name == test or (is_file and test in name)]
    if not kinds:
        _unknown_test(path, name)
    return kinds[0]


def _unknown_test(path: Path, name: str) -> NoReturn:
    known = ", ".join(f"{test}_perf" for test in TESTS)
    what = "which test it was is unknown" if name == path.name else f"{name[:40]}_perf is not read"
    _reject(path, 0, what, f"name one of {known} in the text or in the name of the file")


def _reject(path: Path, line: int, message: str, fix: str) -> NoReturn:
    place = Position(str(path), line)
    finding = Finding("BWT002", Severity.ERROR, message, fix, position=place)
    raise wrong_results([finding])


def wrong_results(findings: Sequence[Finding]) -> InputError:
    """Return the error of results that are wrong; the findings say where, and what."""
    mistakes = counted(len(findings), "mistake")
    return InputError(f"{mistakes} in the results; nothing was judged", findings)
