"""Texts that people put on a switch, beside each file of ours: no reader takes them for lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fabric.change.adapter import adapters
from fabric.observe.configuration import readers
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.snapshot import Running
from fabric.render import render_device
from tests.cases import each
from tests.witness.boxes import BOXES
from tests.witness.readings import differences, plain
from tests.witness.systems import SYSTEMS, witnessed

#: By system: a text, whose lines look like those of a configuration.
TEXTS = {
    "eos": "banner login\ninterface {port}\n   shutdown\nvlan 999\nrouter bgp 1\nEOF\n",
    "nxos": "banner motd #\nhostname other\ninterface {port}\n  shutdown\nrouter bgp 1\n#\n",
    "vrp8": 'header shell information "\nbgp 9\ninterface {port}\n shutdown\n"\n',
    "comware7": "header legal %\ninterface {port}\n shutdown\nqos trust dot1p\n%\n",
    "junos": 'set system login message "\\ndelete interfaces\\nset system host-name other\\n"\n',
    "cumulus": "nv set system message pre-login '####\nnv unset interface swp1-32\n####'\n",
}


def _same(read: Callable[[str], Any], text: str, with_text: str) -> list[str]:
    first, second = read(text), read(with_text)
    assert [item.text for item in second.leftovers] == []
    return list(differences(plain(first), plain(second)))


@each("name", TEXTS)
def test_a_text_is_no_configuration(name: str, tmp_path: Path) -> None:
    """Neither for `prove` nor for `audit`, nor in what the stand-in shows."""
    system = SYSTEMS[name]
    work = witnessed(tmp_path / name, system, "base", system.settings["base"])
    design = work.designs["su1-rail0"]
    file = render_device(design)[0]
    text = TEXTS[name].replace("{port}", design.ports[0].name)
    both = text + file.text if name in {"eos", "nxos"} else file.text + text
    kinds = {one.kind: one.text for one in work.files["su1-rail0"]}
    prove = lambda words: readers[name]({**kinds, file.kind: words})  # noqa: E731
    assert _same(prove, file.text, both) == []
    assert _same(lossless_readers[name].read, file.text, both) == []
    if name == "cumulus":
        left = Running.of_text(design.name, name, both, saved=True)
        assert adapters[name].draft(left, work.files[design.name], None).changes == ()
    if name == "eos":  # the other stand-ins keep no texts
        shown, with_text = (BOXES[name](design, words).shown for words in (file.text, both))
        assert _same(prove, shown, with_text) == []
        assert _same(lossless_readers[name].read, shown, with_text) == []
