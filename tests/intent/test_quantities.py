"""Numbers with a unit, and names of code points: the message says the number."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from fabric.intent.explain_errors import explain
from fabric.intent.quantities import number_for
from fabric.intent.scalars import Gbps
from fabric.intent.yaml.file import parse_yaml


@pytest.mark.parametrize(
    ("field", "text", "number"),
    [
        ("kmin_bytes", "150kB", 150_000),
        ("kmin_bytes", "1.5 MB", 1_500_000),
        ("kmin_bytes", "150KiB", 153_600),
        ("kmin_bytes", "150 bytes", 150),
        ("kmin_bytes", "0.5b", None),
        ("kmin_bytes", "5m", None),
        ("detection_ms", "2s", 2_000),
        ("detection_ms", "5min", 300_000),
        ("detection_ms", "5m", None),
        ("detection_ms", "100us", None),
        ("interval_s", "1h", 3_600),
        ("pause_response_ns", "2us", 2_000),
        ("host_m", "5m", 5),
        ("host_m", "0.5km", 500),
        ("host_m", "550cm", None),
        ("host_gbps", "400G", 400),
        ("host_gbps", "1.6T", 1_600),
        ("host_gbps", "25000Mb/s", 25),
        ("pmax_percent", "5%", 5),
        ("roce_dscp", "AF31", 26),
        ("spine_asn", "65000.1", 4_259_840_001),
        ("leaf_asn_first", "0.65101", 65_101),
        ("spine_asn", "65536.1", None),
        ("spine_asn", "AS1", None),
        ("cnp_dscp", "cs6", 48),
        ("dscps", "EF", 46),
        ("roce_dscp", "26ms", None),
        ("queue", "3ms", None),
        ("kmin_bytes", "\u0661kB", None),
        ("kmin_bytes", 150, None),
    ],
)
def test_number_of_a_text(field, text, number):
    meant = number_for(field, text)
    assert (meant and meant[0]) == number


ASDOT = "what stands before the dot x 65536 + what stands behind it (RFC 5396)"


class _Mtu(BaseModel):
    port_bytes: int = 9100
    host_bytes: int = 9000


class _File(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    roce_dscp: int = 26
    cnp_dscp: int = 48
    mtu: _Mtu | None = None
    kmin_bytes: int = 1
    asn: int = 65000
    host_gbps: Gbps = 400
    name: str = ""


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        (
            "kmin_bytes: 150kB",
            "use 150000: the field is in bytes, without a unit; 1 kB is 1,000 bytes",
        ),
        ("host_gbps: 400G", "use 400: the field is in Gb/s, without a unit"),
        ("host_gbps: 300G", "use 10, 25, 40, 50, 100, 200, 400 or 800"),
        ("kmin_bytes: many", "use a whole number"),
        ("name: 4", "put it in quotes"),
        ("asn: '1.10'", f"use 65546: {ASDOT}"),
        ("asn: 1.10", f"use one number: {ASDOT}"),
        ("port_bytes: 9000", "did you mean 'mtu.port_bytes'?"),
        ("host: 9000", "did you mean 'host_gbps'?"),
        ("bytes: 9000", "did you mean 'kmin_bytes'?"),
        ("dscp: 26", "did you mean 'roce_dscp' or 'cnp_dscp'?"),
        ("mtu: 9000", "set its keys below it: port_bytes and host_bytes"),
        ("kmin_bytes: \u201c150000\u201d", "use straight quotes: \" or '"),
    ],
)
def test_fix_names_the_number(line, fix):
    document = parse_yaml(f"{line}\n".encode(), "x.yaml")
    with pytest.raises(ValidationError) as caught:
        _File.model_validate(document.data)
    (finding,) = explain(caught.value, document, _File)
    assert finding.fix == fix
