"""Mutations of real files, each given to what reads it: ``python -m tests.reliability.damaging``.

A process of its own, so that memory has a limit. It prints a line of JSON for each mutation that
did not end in an input error or a verdict, and ``done``.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from fabric.change import model as plan_model
from fabric.change.approvals import read_approvals
from fabric.change.model import read_plan
from fabric.cli.config import _Reader
from fabric.core.errors import FabricError
from fabric.core.events import Event
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.record_files import lines_of
from fabric.core.user_files import read_text
from fabric.devices.connections import connections
from fabric.exchange.jobs import read_jobs
from fabric.exchange.names import read_names
from fabric.intent.inventory import load
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import neighbours_of
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState, LldpNeighbour, PfcCounters
from fabric.placement.environment import read_environment
from fabric.render.manifest import MANIFEST, digests_of
from fabric.report.accept import Record
from fabric.report.events import line, read_events
from fabric.report.observed import Seen
from fabric.report.picture import read_cabling
from fabric.report.recorded import recorded
from fabric.serve.drift import Drift
from fabric.serve.tokens import Tokens
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.platforms.tree import tree_text
from fabric.systems.sonic.yang import load_schema
from fabric.topology.model import Fabric
from fabric.topology.realise import realise
from fabric.workflow import models, queue
from fabric.workflow.audit import audit
from fabric.workflow.check import check_sonic_files
from fabric.workflow.config_folder import read_configurations
from fabric.workflow.state_file import read_state
from tests.audit.host_outputs import dcb_outputs, outputs
from tests.cli import tree
from tests.exchange import saved_outputs
from tests.reliability.mutations import mutated

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
#: Of processor time, for one mutation; a loaded machine does not count.
MOST_S = 10
#: Of address space, ours and that of all libraries.
MOST_BYTES = 3 << 30
_NOW = datetime(2026, 11, 26, tzinfo=UTC)
#: A part of it is put into files of all kinds.
_OTHER = "eos/demo/su1-rail0/startup-config.eos"


@dataclass(frozen=True)
class Subject:
    """A kind of file.

    Parameters
    ----------
    files : mapping
        Content by the path in the folder that is read.
    read : callable
        Takes the folder, and the path of the file that was mutated.
    own : type of exception
        What the caller of ``read`` turns into a message.
    """

    files: Mapping[str, bytes]
    read: Callable[[Path, Path], object]
    own: tuple[type[Exception], ...] = ()


def _texts(value: object) -> Iterator[str]:
    """Yield what a person would be shown of a result."""
    outcome = getattr(value, "outcome", value)
    for broken in getattr(outcome, "broken", ()):
        raise AssertionError(f"a rule did not run: {broken}")
    yield from map(str, getattr(outcome, "findings", ()))


def _signed(_: Path, file: Path) -> object:
    """Read a plan whose digest is right, as that of a plan that was made to deceive."""
    try:
        data = json.loads(file.read_text())
        data.pop("digest")
        data["digest"] = plan_model._digest(data)
        file.write_text(json.dumps(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return read_plan(file)


def _recorded(_: Path, file: Path) -> object:
    list(lines_of(file))
    return recorded(file, {"su1-rail0", "gpu001"})


def _token_file(_: Path, file: Path) -> object:
    file.chmod(0o600)
    return Tokens(file)


def _settings(_: Path, file: Path) -> object:
    reader = _Reader(file)
    list(reader.read(tree.root()))
    return reader


def _drift(_: Path, file: Path) -> object:
    drift = Drift(file)
    drift.refresh()
    return drift


def _models(folder: Path, _: Path) -> object:
    return models._hardware(models._sources(folder), "source")


@cache
def _demo() -> Fabric:
    return realise(load(ROOT / "inventory" / "demo"))


def _events() -> str:
    place = Position("fabric.yaml", 3, 4)
    finding = Finding("QOS001", Severity.ERROR, "wrong", "mend it", "a.b", place, "su1-rail0", "E0")
    return "".join(line(Event(_NOW, is_open, finding, _NOW, ("bob",))) for is_open in (True, False))


def _readings() -> str:
    port = InterfaceState(up=True, counters={"rx_drops": 3})
    snapshot = Snapshot(
        "su1-rail0",
        interfaces={"Ethernet0": port},
        lldp={"Ethernet0": (LldpNeighbour("a", "b"),)},
        pfc_counters={"Ethernet0": PfcCounters((1, None), (2, 3))},
    )
    seen = Seen("su1-rail0", "sonic", snapshot, ("ecn",), ("bfd",), time=_NOW)
    return f"{json.dumps(seen.as_dict())}\n" * 3


@cache
def _plan() -> str:
    import pytest

    from tests.change import memory_fabric

    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        memory_fabric.use_memory_drivers(patch)
        memory_fabric.create(Path(place))
        return memory_fabric.make_plan(Path(place)).to_json()


_STATE = {
    "format": "rocefab-state/1",
    "written": "2026-11-26T10:00:00+00:00",
    "conditions": {"gpu001": {"health": "drained", "reason": "maintenance"}},
    "jobs": [{"name": "4711", "hosts": ["gpu002"], "traffic": "ring:3,all-to-all:1"}],
}
_CONNECTIONS = {
    "username": "admin",
    "key_file": "",
    "devices": {
        "leaf1": {"address": "192.0.2.1", "port": 22, "trust": "ssh-ed25519 AAAA"},
        "leaf2": {"gnmi": {"port": 8080, "trust": "", "name": "x"}},
    },
}
_APPROVALS = {
    "format": "rocefab-approvals-1",
    "plan_sha256": "0" * 64,
    "approvals": [{"name": "bob", "at": 1.5}],
}
_RECORD = {
    "format": "rocefab-acceptance-1",
    "fabric": "demo",
    "inventory_sha256": "0" * 64,
    "results": {"cabling": {"state": "passed", "lines": ["x"]}},
}
_NEIGHBOUR = {"l_port_id": "Eth1/1", "chassis_id": "a", "port_id": "b"}
_CHANGED = {"path": "PORT|Ethernet0|mtu", "running": "9100", "planned": "9216"}
_YANG = """module sonic-x { yang-version 1.1; namespace "http://x"; prefix x; // x
  container sonic-x { container X { list X_LIST { key "name"; leaf name { type string; } } } } }
"""
_TABLES = [{"path": "su1/config_db.json", "sha256": "0" * 64, "kind": "config_db"}] * 2
#: Small files by kind: name, content, and what reads it.
_SMALL: dict[str, tuple[str, object, Callable[[Path, Path], object]]] = {
    "connections": (
        *("connections.json", _CONNECTIONS),
        lambda _, file: connections(file, {"leaf1": "sonic", "leaf2": "nxos"}),
    ),
    "state": ("state.json", _STATE, lambda _, file: read_state([file], _demo(), 1e12)),
    "cabling": (
        *("c.json", {"cables": [{"near": "a 1", "far": "b 2", "verdict": "missing"}] * 3}),
        lambda _, file: read_cabling(file),
    ),
    "jobs": (
        *("jobs.txt", "# squeue\n4711 gpu[001-004,007]\n4712 gpu005\n4713 \n"),
        lambda _, file: read_jobs(file),
    ),
    "queue": (
        *("queue.json", {"format": "rocefab-queue/1", "jobs": [{"name": "a", "nodes": 2}]}),
        lambda _, file: queue._read(file),
    ),
    "tokens": ("tokens", f"# x\nread {'a' * 40}\nwrite {'b' * 40} alice\n", _token_file),
    "environment": (
        *("env", "# NCCL\nNCCL_DEBUG=INFO\nexport NCCL_IB_HCA='mlx5_0'\n"),
        lambda _, file: read_environment(read_text(file, FileKind.ENVIRONMENT), "env"),
    ),
    "approvals": ("a.json", _APPROVALS, lambda _, file: read_approvals(file)),
    "names": ("n.csv", "source,name\nleaf-1,l1\nleaf-2,l2\n", lambda _, file: read_names(file)),
    "settings": (
        *("rocefab.toml", 'color = "never"\n[check]\nfail-on = "warning"\nignore = ["QOS002"]\n'),
        _settings,
    ),
    "drift": ("d.json", [{"device": "a", "error": "", "drift": [_CHANGED]}], _drift),
    "manifest": (MANIFEST, {"artefacts": _TABLES}, lambda folder, _: digests_of(folder)),
}
#: Switches by system: a rendered configuration.
_SWITCHES = {
    "sonic": "sonic/demo/su1-rail0/config_db.json",
    "esonic": "esonic/demo/su1-rail0/running-configuration.esonic",
    "eos": "eos/demo/su1-rail0/startup-config.eos",
    "nxos": "nxos/demo/su1-rail0/running-config.nxos",
    "junos": "junos/demo/su1-rail0/junos.set",
    "vrp8": "vrp8/demo/su1-rail0/running-config.vrp8",
    "comware7": "comware7/demo/su1-rail0/running-config.comware7",
    "cumulus": "cumulus/demo/su1-rail0/config.nv",
}


def _tree() -> str:
    """Return a Junos configuration in hierarchical form."""
    flat = (GOLDEN / _SWITCHES["junos"]).read_text(encoding="utf-8")
    return tree_text(words for _, words in read_set(flat))


def subjects() -> Mapping[str, Callable[[], Subject]]:
    """Return each kind of file, made when it is asked for."""
    kinds: dict[str, Callable[[], Subject]] = {}
    for name, path in _SWITCHES.items():
        system = name.partition("-")[0]
        kinds[f"audit-{name}"] = partial(
            _golden, path, lambda _, file, system=system: audit([file], system)
        )
        kinds[f"import-{name}"] = partial(_golden, path, lambda at, _: read_configurations(at))
    for name, (file, content, read) in _SMALL.items():
        kinds[name] = partial(_of, file, content, read)
    return kinds | {
        "inventory": lambda: Subject(_files("demo"), lambda at, _: realise(load(at))),
        "inventory-explicit": lambda: Subject(_files("explicit"), lambda at, _: realise(load(at))),
        "audit-junos-tree": lambda: _of("j.conf", _tree(), lambda _, at: audit([at], "junos")),
        "import-junos-tree": lambda: _of("j.conf", _tree(), lambda at, _: read_configurations(at)),
        "config_db": partial(_golden, _SWITCHES["sonic"], lambda _, at: check_sonic_files([at])),
        "hosts": lambda: Subject(_encoded(outputs()), lambda at, _: audit([at])),
        "hosts-dcb": lambda: Subject(_encoded(dcb_outputs()), lambda at, _: audit([at])),
        "plan": lambda: _of("plan.json", _plan(), lambda _, at: read_plan(at)),
        "plan-signed": lambda: _of("plan.json", _plan(), _signed),
        "readings": lambda: _of("readings.jsonl", _readings(), _recorded),
        "events": lambda: _of("events.jsonl", _events(), lambda _, at: list(read_events(at))),
        "models": lambda: Subject(_image(), _models),
        "models-eos": lambda: _of("leaf1.txt", _session(), _models),
        "yang": lambda: _of("x.yang", _YANG, lambda at, _: load_schema(at), (ValueError,)),
        "acceptance": lambda: _of(
            *("r.json", _RECORD),
            lambda _, at: Record.from_json(read_text(at, FileKind.ACCEPTANCE)),
            (ValueError, KeyError, TypeError),
        ),
        "lldp": lambda: _of(
            *("lldp", {"TABLE_nbor": {"ROW_nbor": [_NEIGHBOUR] * 2}}),
            lambda _, at: neighbours_of(read_text(at, FileKind.CONFIGURATION)),
            (UnreadableError,),
        ),
    }


def _of(
    name: str,
    content: object,
    read: Callable[[Path, Path], object],
    own: tuple[type[Exception], ...] = (),
) -> Subject:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    return Subject({name: text.encode()}, read, own)


def _golden(path: str, read: Callable[[Path, Path], object]) -> Subject:
    file = GOLDEN / path
    return Subject({f"switch{file.suffix}": file.read_bytes()}, read)


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {f"gpu001/{name}": text.encode() for name, text in texts.items()}


def _files(inventory: str) -> dict[str, bytes]:
    folder = ROOT / "inventory" / inventory
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _session() -> str:
    texts = {
        "show version": saved_outputs.EOS_VERSION,
        "show inventory": saved_outputs.EOS_INVENTORY,
        "show interfaces hardware": saved_outputs.eos_hardware(),
    }
    return "".join(f"leaf1#{command}\n{text}\n" for command, text in texts.items())


def _image() -> dict[str, bytes]:
    texts = {
        "platform.json": saved_outputs.platform_json(),
        "port_config.ini": saved_outputs.port_config(),
        "sai.profile": saved_outputs.PROFILE,
        "pg_profile_lookup.ini": saved_outputs.HEADROOM,
        "config_db.json": saved_outputs.CONFIG_DB,
    }
    return {name: text.encode() for name, text in texts.items()}


def failures(kind: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield the mutations of a kind that ended otherwise than in an input error or a verdict."""
    subject = subjects()[kind]()
    others = [*subject.files.values(), (GOLDEN / _OTHER).read_bytes()]
    with tempfile.TemporaryDirectory() as place:
        write(Path(place), subject)
        for number in range(count):
            rng = random.Random(f"{kind} {number}")
            name = rng.choice(sorted(subject.files))
            file = Path(place, name)
            file.write_bytes(mutated(subject.files[name], rng, others))
            if trace := _trace(subject, file, Path(place)):
                yield {"kind": kind, "number": number, "trace": trace}
            file.write_bytes(subject.files[name])


def write(folder: Path, subject: Subject) -> None:
    """Write the files of a kind as they are."""
    for name, content in subject.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _trace(subject: Subject, file: Path, folder: Path) -> str:
    """Return where reading a file ended in a way in which it must not; empty if it did not."""
    signal.setitimer(signal.ITIMER_PROF, MOST_S)
    try:
        list(_texts(subject.read(folder, file)))
    except FabricError as error:
        list(map(str, (error, *getattr(error, "findings", ()))))
    except subject.own:
        pass
    except BaseException as error:  # noqa: BLE001 - it is what is looked for
        return "".join(traceback.format_exception(error)[-4:])[-1500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {MOST_S} s of processor time")


def main(words: list[str]) -> None:
    """Mutate files: how often in all, which share of the kinds of file, and of how many shares."""
    total, share, shares = map(int, words)
    kinds = sorted(subjects())
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGPROF, _too_long)
    for kind in kinds[share::shares]:
        for failure in failures(kind, -(-total // len(kinds))):
            print(json.dumps(failure), flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
