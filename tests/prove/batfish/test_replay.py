"""The whole way of a proof by Batfish, with a recorded session in place of Java."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from fabric.core.errors import ServiceError
from fabric.prove.batfish.client import Service
from tests.cli.runs import DEMO, Ended, run
from tests.prove.batfish.mistakes import MISTAKES
from tests.prove.batfish.replay import Batfish, Record, load, running, save
from tests.prove.batfish.subjects import ADDRESS, example_subject

#: What is recorded besides the demo as it is: mistakes in texts of switches.
PLANTED = ("a leaf has no gateway", "a spine discards half of a network", "a NIC port is shut down")
CLEAN = "as it is"


def folder_of(case: str, folder: Path) -> Path:
    """Write the texts of a case as `render` lays them out."""
    project = example_subject("demo")
    if case != CLEAN:
        project = next(row for row in MISTAKES if row.name == case).plant(project)
    names = {"config_db": "config_db.json", "startup-config": "startup-config.eos"}
    for switch, texts in project.texts.items():
        place = folder / "switches" / switch
        place.mkdir(parents=True)
        for kind in names.keys() & texts.keys():
            (place / names[kind]).write_text(texts[kind], encoding="utf-8")
    return folder


def prove(address: str, folder: Path, *words: str) -> Ended:
    return run("prove", DEMO, "--batfish", address, "--snapshot", folder, *words)


def words_of(case: str) -> tuple[str, ...]:
    return ("--scenario", "switch:spine01", "--scenario", "leaf") if case == CLEAN else ()


@pytest.fixture(scope="module")
def record() -> Record:
    return load()


def test_record(tmp_path: Path, update_golden: bool) -> None:
    """Record the session anew, where a service is named and golden files are rewritten."""
    if not (update_golden and ADDRESS):
        pytest.skip("recorded by --update-golden with ROCEFAB_BATFISH")
    made: Record = {}
    for case in (CLEAN, *PLANTED):
        batfish = Batfish(made.setdefault(case, {}), upstream=ADDRESS)
        folder = folder_of(case, tmp_path / case)
        against = () if case == CLEAN else ("--against", str(tmp_path / CLEAN))
        with running(batfish) as address:
            prove(address, folder, *words_of(case), *against)
    save(made)


def test_the_demo_is_proved(tmp_path: Path, record: Record) -> None:
    batfish = Batfish(record[CLEAN])
    with running(batfish) as address:
        ended = prove(address, folder_of(CLEAN, tmp_path), *words_of(CLEAN))
    assert ended.code == 0, ended.said
    assert "16 ends of BGP sessions come up, 72 next hops" in ended.err
    assert "56 pairs of 8 NICs that the design connects" in ended.err
    assert "5 failures tried" in ended.err
    assert ended.err.startswith("Batfish: 6 switches, 8 NICs, 5 failures: about ")
    assert [name for name in batfish.deleted if name.startswith("rocefab-")] == batfish.networks


def test_the_same_files_are_proved_once(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second proof asks for the version alone; other files are another proof."""
    monkeypatch.delenv("ROCEFAB_FRESH")
    folder, cache = folder_of(CLEAN, tmp_path / CLEAN), ("--cache", str(tmp_path / "cache"))
    case = PLANTED[0]
    with running(Batfish(record[CLEAN])) as address:
        first = prove(address, folder, *cache)
    batfish = Batfish({})
    with running(batfish) as address:
        second = prove(address, folder, *cache)
    with running(Batfish(record[case])) as address:
        other = prove(address, folder_of(case, tmp_path / case), *cache)
    with running(Batfish(record[case])) as address:
        again = prove(address, tmp_path / case, *cache)
    assert (first.code, second.code, other.code, again.code) == (0, 0, 4, 4)
    assert second.out == first.out
    assert again.out == other.out
    assert "kept from an earlier proof of the same files" in second.err
    assert "kept from" not in first.err + other.err
    assert not batfish.archives
    with running(Batfish({}, "old")) as address:
        assert prove(address, folder, *cache).code == 3


def test_nothing_but_the_report_is_on_stdout(tmp_path: Path, record: Record) -> None:
    with running(Batfish(record[CLEAN])) as address:
        ended = prove(address, folder_of(CLEAN, tmp_path), "--format", "json")
    assert json.loads(ended.out)["findings"] == []


def test_both_engines(tmp_path: Path, record: Record) -> None:
    with running(Batfish(record[CLEAN])) as address:
        ended = prove(address, folder_of(CLEAN, tmp_path), "--engine", "both")
    assert ended.code == 0
    assert "56 of 56 pairs of NICs" in ended.err
    assert "Batfish: 56 pairs" in ended.err


@pytest.mark.parametrize("case", PLANTED)
def test_a_mistake_is_found(tmp_path: Path, record: Record, case: str) -> None:
    with running(Batfish(record[case])) as address:
        ended = prove(address, folder_of(case, tmp_path))
    assert ended.code == 4
    row = next(row for row in MISTAKES if row.name == case)
    assert all(f"[{rule}]" in ended.out for rule in row.batfish), ended.out


def test_what_a_change_breaks(tmp_path: Path, record: Record) -> None:
    case = "a leaf has no gateway"
    before, after = (folder_of(name, tmp_path / name) for name in (CLEAN, case))
    lost = "su1-rail0: the switch loses next hops towards 10.64.0.0/24"
    with running(Batfish(record[case])) as address:
        ended = prove(address, after, "--against", str(before), "--full")
    assert ended.code == 4
    assert ended.out.count("they arrived before") == 8
    assert lost in ended.out
    own = run("prove", DEMO, "--engine", "own", "--snapshot", after, "--against", before)
    assert lost in own.out
    assert "[BAT019]" not in own.out


def test_nothing_changes(tmp_path: Path, record: Record) -> None:
    folder = folder_of(CLEAN, tmp_path)
    ended = run("prove", DEMO, "--engine", "own", "--snapshot", folder, "--against", folder)
    assert ended.code == 0
    assert "[BAT020]" not in ended.out


TROUBLES = {
    "old": "the service has version 2.0.0 of its interface, needed is 2.1.0",
    "500": "500 Server Error",
    "hang": "ead timed out",
    "cut": "answer: ",
    "columns": "an answer cannot be read: it has no column Status",
    "abnormal": "ended as TERMINATEDABNORMALLY: the log: something went wrong",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_proof_that_does_not_take_place(tmp_path: Path, record: Record, trouble: str) -> None:
    batfish = Batfish(record[CLEAN], trouble)
    started = time.monotonic()
    with running(batfish) as address:
        ended = prove(address, folder_of(CLEAN, tmp_path), "--deadline", "3")
        assert time.monotonic() - started < 10
    assert ended.code == 3
    assert "[BAT017]" in ended.out
    assert TROUBLES[trouble] in ended.said
    assert "\n0 rules checked: 1 error" in f"\n{ended.said}"
    assert "nothing is proved" in ended.err
    assert "that the design connects" not in ended.err
    assert [name for name in batfish.deleted if name.startswith("rocefab-")] == batfish.networks


def test_a_service_that_is_away(tmp_path: Path) -> None:
    with running(Batfish({})) as address:
        pass
    started = time.monotonic()
    ended = prove(address, folder_of(CLEAN, tmp_path))
    assert ended.code == 3
    assert "Connection refused" in ended.out
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("engine", ["own", "batfish"])
def test_a_file_that_cannot_be_read(tmp_path: Path, record: Record, engine: str) -> None:
    folder = folder_of(CLEAN, tmp_path)
    (folder / "switches/su1-rail0/config_db.json").write_text("{", encoding="utf-8")
    (folder / "switches/spine01/startup-config.eos").unlink()
    with running(Batfish(record[CLEAN])) as address:
        ended = prove(address, folder, "--engine", engine)
    assert ended.code == 3
    assert "spine01: the configuration cannot be read: there is no startup-config" in ended.out
    assert "su1-rail0: the configuration cannot be read: not JSON" in ended.out
    assert "nothing is proved: 2 files cannot be read" in ended.err


def test_a_failure_counts_where_its_rule_is_ignored(tmp_path: Path) -> None:
    with running(Batfish({}, "old")) as address:
        ended = prove(address, folder_of(CLEAN, tmp_path), "--ignore", "BAT017")
    assert ended.code == 3


def test_out_of_time(record: Record) -> None:
    batfish = Batfish(record[CLEAN])
    with (
        running(batfish) as address,
        pytest.raises(ServiceError, match="out of time"),
        Service(address, deadline_s=0.0) as service,
    ):
        service.delete("base")
    assert not batfish.networks


def test_an_interrupt_deletes_the_network(record: Record) -> None:
    batfish = Batfish(record[CLEAN])
    with running(batfish) as address, pytest.raises(KeyboardInterrupt), Service(address):
        raise KeyboardInterrupt
    assert batfish.deleted == batfish.networks != []


def test_no_proxy_stands_before_this_machine(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    batfish = Batfish(record[CLEAN])
    with running(batfish) as address, Service(address):
        assert batfish.networks


@pytest.mark.parametrize("words", [("--engine", "batfish"), ("--batfish", ":9996")])
def test_a_service_must_be_named(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCEFAB_BATFISH", raising=False)
    assert run("prove", DEMO, *words).code == 2
