"""The connections file: what it may say, and what its errors say."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.devices.connections import connections

PLATFORMS = {"leaf1": "sonic", "spine01": "eos", "gpu1": "host"}

ERRORS = {
    "not JSON": ('{"devices": {\n  "leaf1" 1}}', 2, "not JSON: expecting ':' delimiter"),
    "unknown device": (
        '{"devices": {\n  "leaf1": {},\n  "spine1": {}}}',
        3,
        "there is no device 'spine1' in the inventory; did you mean 'spine01'?",
    ),
    "nothing like it": ('{"devices": {"xyz": {}}}', 1, "there is no device 'xyz' in the inventory"),
    "unknown field": (
        '{"devices": {\n  "leaf1": {\n    "adress": "192.0.2.1"}}}',
        3,
        "unknown field; did you mean 'address'?",
    ),
    "wrong port": ('{"devices": {"leaf1":\n {"port": 0}}}', 2, "use 1 or more"),
    "port is text": ('{"devices": {"leaf1":\n {"port": "22"}}}', 2, "valid integer"),
    "a list": ("[]", 1, "not an object with fields in braces"),
    "indented with tabs": ('{\n\t"port": 1}', 2, "unknown field"),
    "a password": ('{\n"password": "hunter2"}', 2, "not a reference"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_where_and_what(tmp_path, name):
    text, line, message = ERRORS[name]
    path = tmp_path / "connections.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        connections(path, PLATFORMS)
    (finding,) = caught.value.findings
    assert message in finding.message
    assert (finding.position.file, finding.position.line) == (str(path), line)
    assert "hunter2" not in f"{finding} {caught.value}"


#: What the file names besides leaf1, and the beginning of the warning; empty where it is an error.
SURPLUS = {
    "hosts to come": ("gpu2 gpu3", "not in the inventory, and not used: gpu[2-3]"),
    "another number of a device without an entry": ("spine02", "not used: spine02"),
    "without the zero": ("spine1", ""),
    "a letter is missing": ("spne01", ""),
    "nothing like it": ("storage7", "not used: storage7"),
    "hostile": ("x[1\\u001b[31m,y 3333333333333333333333", "not used: 3333333333333333333333,x["),
}


@pytest.mark.parametrize("name", SURPLUS)
def test_what_is_in_no_inventory_is_a_warning(name, tmp_path, caplog):
    strangers, words = SURPLUS[name]
    path = tmp_path / "connections.json"
    entries = "".join(f', "{other}": {{}}' for other in strangers.split(" "))
    path.write_text(f'{{"devices": {{"leaf1": {{}}, "gpu1": {{}}{entries}}}}}')
    if words:
        assert set(connections(path, PLATFORMS)) == set(PLATFORMS)
        assert words in caplog.text
        assert len(caplog.records) == 1
        assert "\x1b" not in caplog.text
    else:
        with pytest.raises(InputError, match="1 error in") as caught:
            connections(path, PLATFORMS)
        assert "did you mean 'spine01'?" in caught.value.findings[0].message


def test_all_errors_are_reported(tmp_path):
    path = tmp_path / "connections.json"
    path.write_text('{"devices": {"leaf1": {"port": 0, "x": 1}, "leaf2": {"y": 1}}}')
    with pytest.raises(InputError, match="3 errors in") as caught:
        connections(path, PLATFORMS)
    assert {finding.field for finding in caught.value.findings} == {
        "devices.leaf1.port",
        "devices.leaf1.x",
        "devices.leaf2.y",
    }


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError) as caught:
        connections(tmp_path / "no.json", PLATFORMS)
    assert "cannot be read" in caught.value.findings[0].message


def test_what_is_not_said_is_guessed(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_USERNAME", "robot")
    monkeypatch.setenv("ROCEFAB_PASSWORD", "hunter2")
    path = tmp_path / "connections.json"
    path.write_text('{"devices": {"leaf1": {"address": "192.0.2.1", "port": 2222}, "other": {}}}')
    found = connections(path, PLATFORMS, others_allowed=True)
    assert set(found) == set(PLATFORMS)
    leaf, spine = found["leaf1"], found["spine01"]
    assert (leaf.address, leaf.port, leaf.username) == ("192.0.2.1", 2222, "robot")
    assert (spine.address, spine.port, spine.password) == ("spine01", 443, "hunter2")
    assert found["gpu1"].port == 22
    assert "hunter2" not in repr(found)
