"""Lines of others in our sections, on every system that merges: what stays, and what goes."""

from __future__ import annotations

import re
import tempfile
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path as Folder

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.core.artefact import Artefact
from fabric.core.lines import LineTree, Path
from fabric.design.designs import Designs
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.render.scope import MARK, is_merged
from fabric.systems.cumulus import adapters as cumulus
from fabric.systems.cumulus import scope as cumulus_scope
from fabric.systems.cumulus.platforms.lines import read as read_nv
from fabric.systems.junos.adapters import is_owned, patch
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.scope import SCOPE as JUNOS
from fabric.systems.junos.scope import merged
from tests.cases import each, examples
from tests.change import labs
from tests.systems.scope_cases import SYSTEMS

NAMES = sorted(SYSTEMS)
#: Systems whose configuration is a tree of words.
OF_WORDS = ("junos", "cumulus")


def rendered(system: str, **changes: object) -> dict[str, str]:
    """Return the first file of each switch of the smallest fabric."""
    return {name: files[0].text for name, files in every_artefact(system, **changes).items()}


@cache
def artefacts(system: str) -> list[Artefact]:
    return every_artefact(system)[labs.LEAF]


def every_artefact(
    system: str, scope: str = "merge", **changes: object
) -> dict[str, list[Artefact]]:
    """Return the files of each switch of the smallest fabric."""
    text = re.sub(r"\{(sku: [^}]+)\}", rf"{{\1, scope: {scope}}}", SYSTEMS[system].inventory)
    document = yaml.safe_load(text)
    if system == "cumulus":  # the RoCE recipe has its queue (CUM002)
        changes.pop("lossless__queue", None)
    for path, value in changes.items():
        section, _, field = path.partition("__")
        document.setdefault(section, {})[field] = value
    with tempfile.TemporaryDirectory() as folder:
        (Folder(folder) / "fabric.yaml").write_text(yaml.safe_dump(document))
        devices = Designs(folder).devices
        return {name: render_device(one) for name, one in devices.items()}


@cache
def ours(system: str, device: str = labs.LEAF) -> str:
    return rendered(system)[device]


def tree(system: str, text: str, extra: tuple[Path, ...] = ()) -> LineTree:
    """Return what runs: a file, and lines that are not in it."""
    root = LineTree()
    if system == "junos":
        extra = (*(line for _, line in read_set(text)), *extra)
    elif system == "cumulus":
        extra = (*read_nv(text), *extra)
    else:
        root = adapter(system).read(text)
    for path in extra:
        node = root
        for line in path:
            node = node.child(line)
    return root


def adapter(system: str) -> LineAdapter:
    result = adapters[system]
    assert isinstance(result, LineAdapter)
    return result


def target(system: str, now: LineTree, text: str) -> tuple[LineTree, list[Path]]:
    """Return what will run, and which lines of others the plan names."""
    wanted = tree(system, text)
    if system == "junos":
        lines, others, _ = merged(leaves(now), leaves(wanted))
        named = [path for path in others if is_owned(("set", path))]
        return tree(system, "", tuple(path for _, path in lines)), named
    if system == "cumulus":
        both, others, _ = cumulus_scope.merged(set(leaf_paths(now)), read_nv(text))
        return tree(system, "", tuple(cumulus.compose(set(leaf_paths(now)), both))), others
    one = adapter(system)
    assert one.scope
    both, others = one.scope.merged(now, wanted)
    return one.compose(now, both), others


def leaves(node: LineTree) -> list[tuple[str, Path]]:
    paths = list(node.lines())
    inner = {path[:-1] for path in paths}
    return [("set", path) for path in paths if path not in inner]


def lines(node: LineTree) -> set[Path]:
    return set(node.lines())


@pytest.mark.parametrize("system", NAMES)
def test_lines_of_others_stay_and_are_named(system: str) -> None:
    one = SYSTEMS[system]
    now = tree(system, ours(system), one.foreign)
    after, others = target(system, now, ours(system))
    assert lines(after) == lines(now)
    named = {path for path in others if path in one.foreign}
    assert named == set(one.foreign[: one.named])


PAIRS = [
    (system, first, second)
    for system in NAMES
    for first in SYSTEMS[system].foreign
    for second in SYSTEMS[system].foreign
]


@pytest.mark.parametrize("system", NAMES)
def test_a_change_never_touches_lines_outside_its_scope(system: str) -> None:
    """Any two lines of others are there after a change of policy, whole."""
    new = rendered(system, **CHANGES["lossless__ecn"])[labs.LEAF]
    for name, first, second in PAIRS:
        if name == system:
            after, _ = target(system, tree(system, ours(system), (first, second)), new)
            assert lines(after) == lines(tree(system, new, (first, second)))


@pytest.mark.parametrize("system", NAMES)
def test_ours_are_as_the_inventory_has_them(system: str) -> None:
    one = SYSTEMS[system]
    now = tree(system, ours(system), (*one.foreign, *one.stale))
    after, _ = target(system, now, ours(system))
    assert lines(after) == lines(tree(system, ours(system), one.foreign))


CHANGES = {
    "lossless__ecn": {
        "lossless__ecn": {"kmin_bytes": 1_500_000, "kmax_bytes": 7_500_000, "pmax_percent": 50}
    },
    "lossless__pfc_priority": {
        "lossless__pfc_priority": 4,
        "lossless__traffic_class": 4,
        "lossless__queue": 4,
    },
    "lossless__roce_dscp": {"lossless__roce_dscp": 24},
    "lossless__watchdog": {"lossless__watchdog": {"enabled": False}},
    "bgp__bfd": {"bgp__bfd": True},
    "bgp__max_paths": {"bgp__max_paths": 32},
    "bgp__hold_s": {"bgp__hold_s": 30, "bgp__keepalive_s": 10},
    "arp__timeout_s": {"arp__timeout_s": 600},
}


#: Never switched off: something else may need it too.
SWITCHED_ON = {("feature bfd",), ("bfd",)}


@each("change", CHANGES)
@each("system", NAMES)
def test_every_line_that_a_policy_changes_is_known_as_ours(system: str, change: str) -> None:
    """Both ways: nothing of the old policy stays, and nothing of it is taken for others'."""
    first, second = rendered(system), rendered(system, **CHANGES[change])
    for device in first:
        for old, new in ((first[device], second[device]), (second[device], first[device])):
            after, others = target(system, tree(system, old), new)
            assert others == []
            assert lines(after) - lines(tree(system, new)) <= SWITCHED_ON
            assert lines(tree(system, new)) <= lines(after)


#: Words that no pattern has.
WORD = st.from_regex(r"x[a-z0-9-]{2,8}", fullmatch=True)
THEIRS = st.lists(WORD, min_size=2, max_size=3)


@st.composite
def running(draw: st.DrawFn, system: str) -> tuple[LineTree, list[Path]]:
    """Return a switch of an older policy, some lines of ours lost, with random lines of others."""
    policy = draw(st.sampled_from([{}, *CHANGES.values()]))
    now = tree(system, older(system, repr(policy)))
    whole = set(leaf_paths(now))
    for path in draw(st.lists(st.sampled_from(sorted(lines(now))), max_size=5)):
        cut(now, path)
    theirs = []
    for place in draw(st.lists(st.sampled_from(shared(system)), max_size=8)):
        words = draw(THEIRS)
        theirs.append((*place, *words) if system in OF_WORDS else (*place, " ".join(words)))
    left = leaf_paths(now)
    if system == "cumulus":  # NVUE keeps no branch whose last value is gone
        left = [path for path in left if path in whole]
    return tree(system, "", (*left, *theirs)), theirs


@cache
def older(system: str, policy: str) -> str:
    changes = next((one for one in CHANGES.values() if repr(one) == policy), {})
    return rendered(system, **changes)[labs.LEAF]


@cache
def shared(system: str) -> list[Path]:
    """Return where others may add lines: to the switch, and to sections that are not ours alone."""
    wanted = tree(system, ours(system))
    inner = {path[:-1] for path in wanted.lines()} - {()}
    if system in OF_WORDS:
        return [(), *sorted(path for path in inner if is_container(system, path))]
    alone = {
        path
        for path in inner
        for count in range(1, len(path) + 1)
        if SCOPES[system].alone.fullmatch(" ".join(path[:count]))
    }
    return [(), *sorted(inner - alone)]


def is_container(system: str, path: Path) -> bool:
    """Tell whether words open a level in which others have theirs, and no value."""
    line = " ".join(path)
    alone = SCOPES[system].alone if system in SCOPES else None
    return any(re.fullmatch(pattern, line) for pattern in CONTAINERS[system]) and not (
        alone and alone.fullmatch(line)
    )


CONTAINERS = {
    "cumulus": (
        r"interface (swp|vlan)\S+|bridge domain br_default|system|qos",
        r"vrf default router bgp( neighbor \S+| address-family ipv4-unicast)?",
    ),
    "junos": (
        r"interfaces et-\S+( unit 0( family (inet|ethernet-switching))?)?",
        r"interfaces irb( unit \d+( family inet)?)?",
        r"vlans( \S+)?",
        r"protocols( lldp| rstp| bgp( group fabric( neighbor \S+)?)?)?",
        r"class-of-service( schedulers| interfaces( et-\S+)?| forwarding-classes( class)?)?",
        "routing-options|system|policy-options|forwarding-options",
    ),
}
SCOPES = {
    name: JUNOS if name == "junos" else adapter(name).scope for name in NAMES if name != "cumulus"
}


def leaf_paths(node: LineTree) -> list[Path]:
    return [path for _, path in leaves(node)]


def cut(node: LineTree, path: Path) -> None:
    """Remove a line and all below it."""
    for line in path[:-1]:
        node = node.children.get(line, LineTree())
    node.children.pop(path[-1], None)


@pytest.mark.parametrize("system", NAMES)
@given(data=st.data())
@examples(60)
def test_random_lines_of_others_stay_and_a_second_plan_is_empty(
    system: str, data: st.DataObject
) -> None:
    now, theirs = data.draw(running(system))
    after, _ = target(system, now, ours(system))
    assert set(theirs) <= lines(after)
    assert lines(after) - set(theirs) - lines(tree(system, ours(system))) <= SWITCHED_ON | {
        path[:count] for path in theirs for count in range(1, len(path))
    }
    again, _ = target(system, after, ours(system))
    assert lines(again) == lines(after)
    assert changes(system, after, again) == []


def changes(system: str, now: LineTree, after: LineTree) -> list:
    if system == "junos":
        return patch(leaves(now), leaves(after))
    if system == "cumulus":
        return [*filter(None, astuple(cumulus.patch(set(leaf_paths(now)), set(leaf_paths(after)))))]
    return adapter(system).patch(now, after)


@pytest.mark.parametrize("system", NAMES)
def test_another_as_is_a_conflict(system: str) -> None:
    process = SYSTEMS[system].process
    text = ours(system)
    now, wanted = tree(system, text, (process,)), tree(system, text)
    if system == "junos":
        conflicts = merged(leaves(now), leaves(wanted)).conflicts
    elif system == "cumulus":
        conflicts = cumulus_scope.merged({process}, set(leaf_paths(wanted))).conflicts
    else:
        conflicts = SCOPES[system].conflicts(now, wanted)
    assert len(conflicts) == 1
    assert "65000 runs, and the inventory has another AS number" in conflicts[0]
    assert target(system, wanted, text)[1] == []


@pytest.mark.parametrize("system", NAMES)
def test_the_mark_of_the_file_decides_what_is_planned(system: str) -> None:
    """The plan names what stays; without the mark the section is as rendered."""
    text = ours(system)
    first = SYSTEMS[system].foreign[0]
    if system in OF_WORDS:
        config = f"{text}{'nv ' * (system == 'cumulus')}set {' '.join(first)}\n"
    else:
        head, line = (f"{INDENTS.get(system, ' ') * at}{one}\n" for at, one in enumerate(first))
        config = text.replace(head, head + line, 1)
    runs = Running("leaf", system, config, config, saved=True, files={})
    drafts = []
    for files in (artefacts(system), [one for one in artefacts(system) if not is_merged([one])]):
        plain = [replace(one, content=one.content.replace(MARK.encode(), b"")) for one in files]
        drafts.append(adapters[system].draft(runs, plain if drafts else files, driver=None))
    assert [bool(one.changes) for one in drafts] == [False, True]
    assert len(drafts[0].notes) == 1
    assert drafts[0].notes[0].startswith("stays as it runs: ")
    assert first[-1] in drafts[0].notes[0]
    assert drafts[1].notes == ()


INDENTS = {"nxos": "  "}


SPLITS = {
    "nxos": (
        "interface breakout module 1 port {} map 100g-4x",
        "interface Ethernet1/{}",
        "interface Ethernet1/{}/1",
    ),
    "vrp8": (
        "port split dimension interface 100GE1/0/{} split-type 4*25GE",
        "interface 100GE1/0/{}",
        "interface 100GE1/0/{}:1",
    ),
}


def test_a_cage_of_ours_is_broken_out_as_the_inventory_has_it_on_enterprise_sonic() -> None:
    """Cage 1 is ours, cage 2 is not; native names are those of the first lane."""
    ports = [(f"interface Ethernet{lane}", f"description p{lane}") for lane in range(16)]
    modes = [(f"interface breakout port 1/{cage} mode 4x100G",) for cage in (1, 2)]
    split = [ports[lane] for lane in (0, 2, 4, 6, 8, 10, 12, 14)]
    now = tree("esonic", "", (*modes, *split))
    after, _ = target("esonic", now, "interface Ethernet0\n no shutdown\n")
    assert modes[0] not in lines(after)
    assert {path for path in lines(after) if len(path) == 2} == {
        ("interface Ethernet0", "no shutdown"),
        *split[4:],
    }
    assert modes[1] in lines(after)
    same, _ = target("esonic", now, f"{modes[0][0]}\ninterface Ethernet0\n no shutdown\n")
    assert {*modes, *split[1:]} <= lines(same)


@pytest.mark.parametrize("system", SPLITS)
def test_the_split_of_a_port_of_ours_is_ours(system: str) -> None:
    """Port 1 is in the inventory, port 9 is not; a port that is split is not there any more."""
    split, whole, part = SPLITS[system]
    both = [(line.format(1), "shutdown") for line in (whole, part)]
    theirs = ((split.format(9),), (part.format(9), "shutdown"))
    now = tree(system, "", ((split.format(1),), both[1], *theirs))
    after, _ = target(system, now, f"{whole.format(1)}\n shutdown\n")
    assert (split.format(1),) not in lines(after)
    assert {*theirs, both[0]} <= lines(after)
    now = tree(system, "", (both[0], *theirs))
    after, _ = target(system, now, f"{split.format(1)}\n{part.format(1)}\n shutdown\n")
    assert {*theirs, (split.format(1),), both[1]} <= lines(after)
    assert system == "nxos" or both[0] not in lines(after)
