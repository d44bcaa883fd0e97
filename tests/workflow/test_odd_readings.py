"""Files of readings that are cut, mixed, out of order or wrong: named, and judged or refused."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import zstandard

from fabric.core.record_files import RecordFile
from fabric.observe.rates import Rates
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState, SystemFacts
from fabric.platforms.catalogue import sku
from fabric.report.observed import Seen
from fabric.report.oddities import Oddities
from fabric.report.recorded_windows import Planned, recorded_windows
from fabric.workflow.judge import every_port
from tests.cases import each
from tests.cli.runs import DEMO, run
from tests.health.windows import HOST, LEAF, Fabric
from tests.workflow.test_judge import storm

Record = dict[str, Any]
STORM = f"error: {HOST} eth1: PFC storm: pauses its leaf 90 % of the time"
TURN_S = 10.0
#: A file that is older than a day is refused by some verbs.
START = datetime.now(UTC) - timedelta(minutes=5)
PLATFORMS = {"spine01": "eos", "spine02": "eos", HOST: "host"}


def records(fabric: Fabric | None = None) -> list[Record]:
    """Return both readings of a leaf, a spine and a host with a storm, as one run writes them."""
    window = (fabric or storm()).window()
    rows = []
    for turn, when in (("before", 0.0), ("after", TURN_S)):
        for name in (LEAF, "spine01", HOST):
            seen = Seen(
                name,
                PLATFORMS.get(name, "sonic"),
                getattr(window.readings[name], turn),
                time=START + timedelta(seconds=when),
                rates=Rates(TURN_S, {}, {}) if when else None,
            )
            rows.append(seen.as_dict())
    return rows


def text(rows: Iterable[Record]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def judged(file: Path, content: str | bytes, *more: str) -> Any:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    only = f"{LEAF},spine01,{HOST}"
    return run("judge", DEMO, "--readings", file, "--only", only, *more)


def stranger(row: Record) -> Record:
    return {**row, "device": f"other-{row['device']}"}


def moved(row: Record, seconds: float) -> Record:
    time = (START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    return {**row, "time": time}


def changed(row: Record, *place: str, to: object) -> Record:
    """Return a record with another value at a place."""
    first, *rest = place
    return {**row, first: changed(row[first], *rest, to=to) if rest else to}


def host_last(change: Callable[[Record], Record]) -> Callable[[list[Record]], list[Record]]:
    """Change the last record, which is of the host."""
    return lambda rows: [*rows[:-1], change(rows[-1])]


def counter(value: object) -> Callable[[list[Record]], list[Record]]:
    place = ("state", "nics", "eth1", "counters", "tx_prio3_pause_duration")
    return host_last(lambda row: changed(row, *place, to=value))


def elapsed(value: object) -> Callable[[list[Record]], list[Record]]:
    return host_last(lambda row: changed(row, "rates", "elapsed_s", to=value))


def port(row: Record) -> Record:
    return changed(row, "state", "interfaces", "Ethernet999", to={"up": False, "counters": {}})


def renamed(row: Record) -> Record:
    """Return a record of a switch all of whose ports have names of another kind."""
    ports = row["state"]["interfaces"]
    others = {f"etp{number}": state for number, state in enumerate(ports.values())}
    return changed(row, "state", to={"interfaces": others})


def test_a_port_for_service_is_no_stranger(tmp_path) -> None:
    model = sku("ACS-SN5600")
    (service,) = model.service_ports
    assert service.name not in model.port_numbers()
    assert service.name in every_port(model)


def test_what_is_as_it_should_be_has_no_warning(tmp_path) -> None:
    ended = judged(tmp_path / "r", text(records()))
    assert ended.code == 4
    assert "warning" not in ended.err
    assert ended.out.startswith(STORM)


#: Name, the records, and the warning; the storm of the host is judged in each.
ODD = [
    ("others", lambda rows: [*rows, stranger(rows[0])], "7:1: records of devices that the fabric"),
    ("others first", lambda rows: [*map(stranger, rows), *rows], "6 of other-gpu001,other-spine01"),
    (
        "twice",
        lambda rows: [*rows, *rows[3:]],
        "7:1: lines that are there again are ignored, 3",
    ),
    ("all twice", lambda rows: [row for row in rows for _ in "ab"], "2:1: lines that are there"),
    ("order", lambda rows: rows[::-1], "4:1: records are not in the order of their times"),
    ("halves", lambda rows: rows[3:] + rows[:3], "4:1: records are not in the order of their"),
    ("back", lambda rows: rows[:3] + [moved(row, -3600) for row in rows[3:]], "4:1: rates.elapsed"),
    ("forth", lambda rows: rows[:3] + [moved(row, 3e6) for row in rows[3:]], "4:1: rates.elapsed"),
    ("no time", lambda rows: [{**row, "time": None} for row in rows], "rates.elapsed_s counts"),
    ("no rates", lambda rows: [{**row, "rates": None} for row in rows], "4:1: the times of day"),
    (
        "system",
        lambda rows: [{**row, "platform": "host"} for row in rows],
        "1:1: records of another",
    ),
    ("port", lambda rows: [*rows[:3], port(rows[3]), *rows[4:]], "4:1: ports that the inventory"),
    ("renamed", lambda rows: [*rows[:3], renamed(rows[3]), *rows[4:]], "4:1: ports that the inv"),
    (
        "two inventories",
        lambda rows: [*rows, *({**row, "platform": "junos"} for row in rows)],
        "7:1: records of another system than in the inventory count where there are no others",
    ),
    (
        "same time",
        lambda rows: [*rows[:3], {**moved(rows[5], TURN_S), "state": {}}, *rows[3:]],
        f"4:1: two records of one device have the same time, and the later line counts: {HOST}",
    ),
]


@each(("name", "change", "warning"), ODD)
def test_an_odd_file_is_judged_with_a_warning(tmp_path, name, change, warning) -> None:
    ended = judged(tmp_path / "r", text(change(records())))
    assert warning in ended.err, name
    assert f"warning: {tmp_path / 'r'}:" in ended.err, name
    assert STORM in ended.out, name
    assert "restarted" not in ended.out, name


def test_json_has_the_warnings(tmp_path) -> None:
    ended = judged(tmp_path / "r", text([*records(), stranger(records()[0])]), "--format", "json")
    (warning,) = json.loads(ended.out)["warnings"]
    assert (warning["severity"], warning["line"]) == ("warning", 7)
    assert warning["message"].startswith("records of devices that the fabric does not have")


def test_without_a_time_between_them_the_last_record_counts_alone(tmp_path) -> None:
    rows = [{**row, "rates": None} for row in records()]
    ended = judged(tmp_path / "r", text(rows[3:] + rows[:3]))
    assert "the time between the last two records is not known" in ended.err
    assert ended.code == 0
    assert f"{HOST} (one reading)" in ended.out


def cut(kind: Callable[[bytes], bytes]) -> Callable[[list[Record]], bytes]:
    """Cut the end of a file off: 300 bytes of its text, or of what a program made of it."""
    return lambda rows: kind(text([*rows, rows[0]]).encode()[:-300])


@each("kind", [bytes, zstandard.compress])
def test_a_file_that_ends_in_a_record_is_judged_without_it(tmp_path, kind) -> None:
    """A run that is killed, a disk that is full, a copy of a file that is written."""
    ended = judged(tmp_path / "r", cut(kind)(records()))
    assert "r:7:1: the last line is cut and ignored; if the file is a copy, copy" in ended.err
    assert ended.out.startswith(STORM)


def test_a_compressed_file_of_a_run_that_was_killed_is_judged(tmp_path) -> None:
    """Each record is flushed: what was written before counts, without the end of the frame."""
    file = tmp_path / "r.zst"
    with RecordFile(file) as lines:
        for row in [*records(), stranger(records()[0])]:
            lines.write(json.dumps(row) + "\n")
    assert judged(file, file.read_bytes()[:-20]).out.startswith(STORM)


#: Name, the content of the file, and the message; each ends with exit code 2.
WRONG = [
    ("empty", lambda rows: "", "r:1:1: is empty; write it by `rocefab observe --out FILE`"),
    ("blank", lambda rows: "\n \n", "r:1:1: is empty"),
    ("half a line", lambda rows: text(rows)[:90], "r:1:1: its only line is cut"),
    (
        "gzip",
        lambda rows: gzip.compress(text(rows).encode()),
        "r:1:1: the file is compressed by gzip",
    ),
    (
        "xz",
        lambda rows: lzma.compress(text(rows).encode())[:-40],
        "compressed by xz; decompress it",
    ),
    ("zstd", lambda rows: zstandard.compress(b"{" * 99)[:9] + b"}" * 99, "the file is damaged"),
    ("others", lambda rows: text(map(stranger, rows)), "in 6 records: other-gpu001,other-spine01,"),
    ("half before", lambda rows: text(rows)[:700] + text(rows), "r:1:"),
    (
        "version",
        lambda rows: text([*rows, {**rows[0], "format": "rocefab-readings/9"}]),
        "r:7:1: the",
    ),
    ("no form", lambda rows: text([*rows, {"device": LEAF}]), "r:7:1: a record has no form"),
    ("a state", lambda rows: text([{"format": "rocefab-state/1"}]), "is 'rocefab-state/1'; a line"),
    (
        "no table",
        lambda rows: text(host_last(lambda row: {**row, "state": 7})(rows)),
        "r:6:1: state",
    ),
    (
        "huge",
        lambda rows: text(counter(10**400)(rows)),
        "pause_duration: 1000000000000000000000000000000000000000 is not",
    ),
    (
        "65 bits",
        lambda rows: text(counter(2**65)(rows)),
        "duration: 36893488147419103232 is not a count",
    ),
    (
        "negative",
        lambda rows: text(counter(-1)(rows)),
        "tx_prio3_pause_duration: -1 is not a count of",
    ),
    (
        "nan",
        lambda rows: text(counter(float("nan"))(rows)),
        "pause_duration: input should be a finite",
    ),
    ("a word", lambda rows: text(counter("many")(rows)), "r:6:1: state.nics.eth1.counters"),
    ("elapsed 0", lambda rows: text(elapsed(0)(rows)), "r:6:1: rates.elapsed_s: use 0.01 or more"),
    ("elapsed < 0", lambda rows: text(elapsed(-10)(rows)), "r:6:1: rates.elapsed_s"),
    ("elapsed tiny", lambda rows: text(elapsed(1e-9)(rows)), "r:6:1: rates.elapsed_s"),
    ("elapsed nan", lambda rows: text(elapsed(float("nan"))(rows)), "r:6:1: rates.elapsed_s"),
    ("elapsed absurd", lambda rows: text(elapsed(1e12)(rows)), "r:6:1: rates.elapsed_s"),
]


@each(("name", "content", "message"), WRONG)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, name, content, message) -> None:
    ended = judged(tmp_path / "r", content(records()))
    assert (ended.code, ended.out) == (2, ""), name
    assert message in ended.err, name


@each(
    "verb",
    [("verify", "--snapshot"), ("cabling", "--snapshot"), ("whatif", "--all-links", "--snapshot")],
)
def test_other_readers_name_what_is_odd_too(tmp_path, verb) -> None:
    file = tmp_path / "r"
    file.write_text(text([*records(), stranger(records()[0])])[:-300])
    ended = run(verb[0], DEMO, *verb[1:], file)
    assert ended.code in {0, 3, 4}
    assert "warning: " in ended.err
    assert "r:7:1: the last line is cut and ignored" in ended.err
    file.write_text(text(counter(-1)(records())))
    if verb[0] != "whatif":  # reads whether ports are up, and no counter
        assert run(verb[0], DEMO, *verb[1:], file).code == 2


def leaf(second: float, elapsed_s: float | None, *, ok: bool = True) -> Seen:
    """Return a reading of the leaf whose uptime tells when it was really made."""
    facts = Snapshot(
        LEAF, facts=SystemFacts(LEAF, uptime_s=second), interfaces={"e1": InterfaceState()}
    )
    return Seen(
        LEAF,
        "sonic",
        facts if ok else None,
        error="" if ok else "no answer",
        time=START + timedelta(seconds=second),
        rates=Rates(elapsed_s, {}, {}) if elapsed_s else None,
    )


#: Readings in the order of their lines, and the seconds of the two that are the last window.
WINDOWS = [
    ("a run", [leaf(0, None), leaf(10, 10), leaf(20, 10.2)], [10, 20]),
    ("two runs", [leaf(0, None), leaf(3, None), leaf(10, 10), leaf(13, 10)], [3, 13]),
    ("a new run", [leaf(0, None), leaf(10, 10), leaf(500, None)], [10, 500]),
    ("a new run, its second turn", [leaf(10, 10), leaf(500, None), leaf(510, 10)], [500, 510]),
    ("swapped", [leaf(0, None), leaf(20, 10), leaf(10, 10)], [10, 20]),
    ("reversed", [leaf(20, 10), leaf(10, 10), leaf(0, None)], [0, 10]),
    ("a failure between", [leaf(0, None), leaf(10, None, ok=False), leaf(20, 20)], [0, 20]),
    ("a failure at the end", [leaf(0, None), leaf(10, 10), leaf(20, None, ok=False)], [10, None]),
    ("alone", [leaf(0, None)], [0]),
]


@each(("name", "lines", "seconds"), WINDOWS)
def test_the_last_window_has_the_two_readings_between_which_time_is_known(
    tmp_path, name, lines, seconds
) -> None:
    file = tmp_path / "r"
    file.write_text(text(seen.as_dict() for seen in lines))
    window = recorded_windows(file, {LEAF: Planned("sonic", frozenset({"e1"}))}, Oddities(file))
    uptimes = [seen.snapshot.facts.uptime_s if seen.snapshot else None for seen in window]
    assert uptimes == seconds, name
