"""Secrets leave what a device says; the rest of its message stays."""

from __future__ import annotations

import pytest

from fabric.devices.redaction import redacted, shortened, without
from tests.cases import each


@pytest.mark.parametrize(
    ("text", "secret", "left"),
    [
        ("max retries exceeded with url", "x", "max retries exceeded with url"),
        ("Token x is invalid", "x", "Token *** is invalid"),
        ("Token a.b is invalid, not aab", "a.b", "Token *** is invalid, not aab"),
        ("Token 0123456789abcdef0123 in u0123456789abcdef0123v", "0123456789abcdef0123",
         "Token *** in u***v"),
        ("nothing", "", "nothing"),
    ],
)  # fmt: skip
@pytest.mark.fault(22)
def test_a_secret_leaves_a_message(text: str, secret: str, left: str) -> None:
    assert without(text, secret) == left


#: What devices say, and what is shown of it.
SAID = {
    '{"TACPLUS": {"global": {"passkey": "HUNTER2", "timeout": "5"}}} is wrong': "is wrong",
    "{'auth_password': 'HUNTER2'} is wrong": "is wrong",
    "passkey=HUNTER2, timeout=5": "passkey=***, timeout=5",
    "RADIUS|global: passkey: HUNTER2": "RADIUS|global: passkey: ***",
    "config tacacs passkey HUNTER2": "config tacacs passkey ***",
    "tacacs-server host 192.0.2.1 key 7 HUNTER2": "tacacs-server host 192.0.2.1 key ***",
    "SNMP_COMMUNITY|HUNTER2|TYPE is no field": "SNMP_COMMUNITY ***",
    "/SNMP_COMMUNITY/HUNTER2/TYPE": "SNMP_COMMUNITY ***",
    "/m:m/SNMP_COMMUNITY_LIST[name='HUNTER2']/TYPE": "SNMP_COMMUNITY_LIST ***",
    '"SNMP_COMMUNITY": {\n  "HUNTER2": {\n    "TYPE": "RO"': '"SNMP_COMMUNITY ***',
    'Value "HUNTER2" is too long. (path: /s:s/TACPLUS/global/passkey)': "is too long",
    "Value 'HUNTER2' is too long.\nIt is of auth_password.": "It is of auth_password.",
    "snmp-server community HUNTER2 ro\n% Invalid input": "% Invalid input",
}


@each("text", SAID)
@pytest.mark.fault(22)
def test_what_a_device_says_has_no_secret(text: str) -> None:
    shown = shortened(text)
    assert "HUNTER2" not in shown
    assert SAID[text] in shown


#: What is no secret stays.
PLAIN = (
    "WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold = 1",
    "neighbor FABRIC send-community",
    "Value 'Ethernet0' is not a port",
    "BGP_NEIGHBOR|10.0.0.1|auth_password",
)


@each("text", PLAIN)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_an_endless_message_is_cut_before_it_is_read() -> None:
    assert len(shortened("snmp-server host " * 100_000)) == 300
    assert shortened("one\n\n  two\nthree", between=" | ") == "one | two | three"
