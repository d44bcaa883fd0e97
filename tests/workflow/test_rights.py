"""export rights: the lists are complete, none of their lines is unused, and sudo is obeyed."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import astuple, dataclass, field

import pytest

from fabric.change.planner import open_driver, read
from fabric.core.errors import DeviceError, InputError
from fabric.core.exports import export, exporters
from fabric.devices.driver import drivers
from fabric.devices.shell_driver import CHANGING
from fabric.devices.ssh import ShellSession
from fabric.devices.sudo import PCI_ADDRESS, privileged, sudoers
from fabric.lab.shell.sudoers import FOLDER
from fabric.observe.authors import SUBJECT, histories
from fabric.systems.eos.lab import EosStandIn
from fabric.systems.nxos.lab import NxosStandIn
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import targets
from fabric.workflow.exporters.rights import Account, of_device
from fabric.workflow.leftovers import leftovers
from fabric.workflow.observe import observe
from fabric.workflow.plan import plan
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift, verify
from tests.change import labs
from tests.change.labs import ALL, silent

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
CUMULUS = labs.INVENTORY.replace("ACS-MSN4700", "SN4700").replace("7060X6-64PE", "SN5600")
HOST = "host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}\n"
#: Settings of every kind that is read with root.
DCB_HOST = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  nic:
    driver: mlx5
    dcqcn_set: connectx
    receive_buffers: {lossy_bytes: 65536, lossless_bytes: 163840}
    pause_storm_ms: 100
  tuning:
    {max_read_request_bytes: 4096, acs: "off", governor: performance, hugepages_1g: 4}
"""
SYSTEMS = {
    "sonic": labs.INVENTORY,
    "dcb": labs.INVENTORY.replace(HOST, DCB_HOST),
    "esonic": labs.ESONIC,
    "cumulus": CUMULUS,
    "nxos": labs.NXOS,
}
PCI = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b")


@dataclass
class Lab:
    """A running lab that obeys sudoers, and what was sent to each of its devices."""

    running: object
    project: object
    connections: object
    folder: object
    sent: dict[str, set] = field(default_factory=dict)
    ever: dict[str, set] = field(default_factory=dict)

    def note(self, name, items):
        self.sent.setdefault(name, set()).update(items)
        self.ever.setdefault(name, set()).update(items)

    def rights(self, name):
        target = targets(self.project, self.connections, ALL)[name]
        return of_device(self.project, target, self.running[name].spec.username)

    def shells(self):
        made = {name: self.rights(name) for name in self.running.names()}
        return [name for name, one in made.items() if one and one.suffix == "sudoers"]

    def allow(self, *parts):
        """Let sudo of each device take these files alone."""
        for name in self.shells():
            fs = self.running[name].fs
            fs.mkdir(FOLDER)
            for old in fs.listing(FOLDER):
                fs.local(f"{FOLDER}/{old}").unlink()
            for part in parts:
                fs.put(f"{FOLDER}/rocefab-{part}", getattr(self.rights(name), part))

    def read_all(self):
        """Run every verb that reads; return what each could not."""
        project, connections = self.project, self.connections
        made = plan(project, connections, ALL, "rail", silent)
        found = [
            *verify(project, connections, ALL, silent, window_s=0.1),
            *drift(project, connections, ALL, silent),
        ]
        errors = [item.error for item in found if item.error]
        seen = observe(project, connections, ALL, (), silent)
        errors += [item.error for item in seen if item.error]
        errors += self.ask_authors()
        if (self.folder / "state").exists():
            errors += leftovers(self.folder / "state", connections, silent)[1]
        return made, errors

    def ask_authors(self):
        """Ask who changed each device that keeps a history, as `drift --watch` does."""
        errors = []
        for target in targets(self.project, self.connections, ALL).values():
            if target.connection.platform in histories:
                driver = open_driver(target.connection)
                try:
                    driver.read_state([SUBJECT])
                except DeviceError as error:
                    errors.append(error.reason)
                finally:
                    driver.close()
        return errors


@dataclass(frozen=True)
class Rule:
    """One rule of a role of EOS or NX-OS."""

    permits: bool
    mode: str
    pattern: str

    def fits(self, mode, command):
        modes = {"exec": ("exec",), "config-all": ("config",)}[self.mode]
        return mode in modes and re.search(self.pattern, command) is not None


def rules(text):
    """Return the rules of a role, the one that is asked first in front."""
    eos = re.findall(r"^   \d+ (permit|deny) mode (\S+) command (.+)$", text, re.MULTILINE)
    nxos = re.findall(r"^  rule \d+ (permit) command (.+)$", text, re.MULTILINE)
    return [Rule(word == "permit", mode, pattern) for word, mode, pattern in eos] + [
        Rule(True, "exec", f"^{re.escape(command)}$") for _, command in nxos
    ]


def first(role, mode, command):
    return next((rule for rule in rules(role) if rule.fits(mode, command)), None)


def watch_switches(made, monkeypatch):
    """Note each command that a switch without a shell gets, with its mode."""
    run, one = EosStandIn._one, NxosStandIn._one

    def eos_one(switch, cli, command, *more):
        mode = "config" if cli.editor is not None and command != "end" else "exec"
        made.note(switch.spec.name, [(mode, command)])
        return run(switch, cli, command, *more)

    def nxos_one(switch, editor, command, keep, **more):
        made.note(switch.spec.name, [("exec", command)])
        return one(switch, editor, command, keep, **more)

    monkeypatch.setattr(EosStandIn, "_one", eos_one)
    monkeypatch.setattr(NxosStandIn, "_one", nxos_one)


@pytest.fixture(params=SYSTEMS)
def lab(request, tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch, SYSTEMS[request.param]) as parts:
        made = Lab(*parts, tmp_path)
        run = ShellSession.run

        def noted(session, command, **more):
            name = session._connection.device
            commands = privileged(PCI.sub(PCI_ADDRESS, command))
            made.note(name, commands)
            return run(session, command, **more)

        monkeypatch.setattr(ShellSession, "run", noted)
        watch_switches(made, monkeypatch)
        yield made


def listed(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def entries(commands):
    """Return how sudoers names commands, without account and folder."""
    return {line.partition(": /")[2].rpartition("bin/")[2] for line in sudoers("x", commands, {})}


def refused(role, sent):
    return {one for one in sent if not ((rule := first(role, *one)) and rule.permits)}


def test_each_verb_runs_with_its_list_and_needs_all_of_it(lab):
    lab.allow("reading")
    made, errors = lab.read_all()
    assert errors == []
    done = apply(made, lab.folder / "first", lab.connections, OPTIONS, silent)
    assert not done.ok
    assert any("sudo" in reason for reason in done.reasons)
    lab.allow("reading", "changing")
    made, _ = lab.read_all()
    result = apply(made, lab.folder / "state", lab.connections, OPTIONS, silent)
    assert result.ok, result.reasons
    lab.allow("reading")
    lab.sent.clear()
    again, errors = lab.read_all()
    assert (again.devices, errors) == ({}, [])
    for name in lab.running.names():
        check_reading(lab, name)
    lab.allow("reading", "changing")
    back = rollback(result.run, lab.folder / "state", lab.connections, silent)
    assert back.ok, back.reasons
    for name in set(lab.running.names()) - set(lab.shells()):
        role = lab.rights(name).changing
        assert "network-admin" in role or not refused(role, lab.ever[name])


@pytest.mark.parametrize("lab", ["dcb", "cumulus"], indirect=True)
def test_a_right_that_is_missing_is_an_error_and_never_another_reading(lab):
    made, _ = lab.read_all()
    assert apply(made, lab.folder / "state", lab.connections, OPTIONS, silent).ok
    errors = 0
    for name in lab.shells():
        lab.allow("reading")
        target = targets(lab.project, lab.connections, ALL)[name]
        whole = reading_of(target)
        lines = listed(lab.rights(name).reading)
        for missing in lines:
            rest = "\n".join(line for line in lines if line != missing)
            lab.running[name].fs.put(f"{FOLDER}/rocefab-reading", f"{rest}\n")
            found = reading_of(target)
            errors += isinstance(found, DeviceError)
            assert isinstance(found, DeviceError) or is_no_other(found, whole), missing
    assert errors > 2


def is_no_other(found, whole):
    """Tell whether a reading is the same; of who a device is it may tell less."""
    pairs = zip(astuple(found[0]), astuple(whole[0]), strict=True)
    return found[1:] == whole[1:] and all(now in ("", known) for now, known in pairs)


def reading_of(target):
    """Return who a device is and what runs on it, or the error of the reading."""
    driver = open_driver(target.connection)
    try:
        found = read(target, driver)
    except DeviceError as error:
        return error
    finally:
        driver.close()
    return found.identity, found.running, found.draft.diff


def check_reading(lab, name):
    """Check that a device was sent what its list has, and that all of it."""
    text, sent = lab.rights(name).reading, lab.sent[name]
    if name in lab.shells():
        assert entries(sent) == {line.rpartition("bin/")[2] for line in listed(text)}, name
        return
    assert refused(text, sent) == set(), name
    unused = {rule.pattern for rule in rules(text) if rule.permits and rule.mode == "exec"}
    assert unused == {first(text, *one).pattern for one in sent if one[0] == "exec"}, name


def test_the_list_of_a_change_names_what_the_drivers_run():
    general = spoken("fabric.devices.shell_driver") | spoken("fabric.devices.device_lock")
    sonic = general | spoken("fabric.systems.sonic.drivers")
    assert set(drivers["host"].changing) == general | spoken("fabric.probe.reach.commands")
    assert set(drivers["esonic"].changing) == {*CHANGING, "config", "vtysh"}
    assert {*CHANGING, "config"} <= sonic
    assert set(drivers["sonic"].changing) - {"sonic-db-cli", "vtysh"} <= sonic
    own = spoken("fabric.systems.cumulus.drivers") - {"decode-syseeprom", "lldpcli"}
    lock = spoken("fabric.devices.device_lock")
    assert set(drivers["cumulus"].changing) == own | lock | {"vtysh"}


def spoken(module):
    """Return the programs behind ``sudo -n`` in the text of a module."""
    text = inspect.getsource(importlib.import_module(module))
    return set(re.findall(r"sudo -n ([a-z][a-z-]*)", text))


@pytest.mark.parametrize(
    ("account", "parts", "says"),
    [("Root", (), "not the name of an account"), ("a b", (), "not the"), ("x", ("all",), "part")],
)
def test_wrong_words_are_refused(tmp_path, account, parts, says):
    project = Project(labs.write_inventory(tmp_path / "inventory"))
    with pytest.raises(InputError) as caught:
        export(Account(project, account), exporters["rights"], parts)
    assert says in str(caught.value.findings[0])


def test_systems_without_a_source_are_named(tmp_path):
    project = Project(labs.write_inventory(tmp_path / "inventory", labs.VRP8))
    done = export(Account(project, "ops"), exporters["rights"], ("reading",))
    assert [file.path for file in done.files] == ["gpu1/reading.sudoers"]
    assert [note.message.split(":")[0] for note in done.notes] == ["no rights are made for vrp8"]


LINES = {
    "a; sudo -n cat /x 2>/dev/null && b": ["cat /x"],
    "if sudo -n test ! -e /x; then sudo -n cat '/x y'; fi": ["test ! -e /x", "cat /x y"],
    'echo "$(sudo -n cat /sys/a)" | tee /x': ["cat /sys/a"],
    "sudo cat /x; sudo -n -l cat /x": [],
    'sudo -n setpci -s "$(basename "$d")" REG.w': [f"setpci -s {PCI_ADDRESS} REG.w"],
}


@pytest.mark.parametrize("line", LINES)
def test_commands_of_root_in_a_line(line):
    assert privileged(line) == LINES[line]
