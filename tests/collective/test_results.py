"""Results of tests are read from what these print; what names no hosts is rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric.collective.published import CollectiveKind
from fabric.collective.results import MAX_ROWS, MeasuredBandwidth, read_results
from fabric.core.errors import InputError

RANKS = """\
#  Rank  0 Group  0 Pid   6899 on gpu001 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   6900 on gpu001 device  1 [0000:05:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   6733 on gpu007 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
"""
HEAD = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   \
algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)
"""
LINES = """\
   536870912     134217728     float     sum      -1   2984.6  179.88  356.01      0   2979.7  \
180.18  356.60      0
  8589934592    2147483648     float     sum      -1    43980  195.31  386.56      0    44094  \
194.81  385.56      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 373.187
"""
TEXT = f"# Collective test starting: all_reduce_perf\n{RANKS}{HEAD}{LINES}"
#: As NVIDIA/nccl-tests before 2.14 prints it: no group, and no redop of an all-to-all.
OLD = """\
$ ./build/alltoall_perf -b 256M
gpu001:21 [0] NCCL INFO NCCL_IB_HCA set by environment to =mlx5_1,mlx5_2
#   Rank  0 Pid  14926 on     gpu001 device  0 [0x00] Tesla V100
#   Rank  1 Pid   9210 on     gpu002 device  0 [0x00] Tesla V100
#       size         count      type   redop     time   algbw   busbw  error     time   algbw   \
busbw  error
   268435456       1048576     float           520935    0.52    0.51  0e+00   519562    0.52    \
0.52  1e+00
"""
REPORT = {
    "version": 2,
    "args": ["./all_reduce_perf", "-g", "1"],
    "env": ["HOME=/root", "NCCL_IB_HCA==mlx5_1,mlx5_3"],
    "config": {
        "devices": [
            {"rank": 1, "hostname": "gpu002"},
            {"rank": 0, "hostname": "gpu009"},
        ]
    },
    "results": [
        {"size": 8, "out_of_place": {"bus_bw": 900.0, "nwrong": 0.0}, "in_place": None},
        {
            "size": 1024,
            "out_of_place": {"bus_bw": 96.5, "nwrong": 0.0},
            "in_place": {"bus_bw": 97.25, "nwrong": None},
        },
    ],
}
TABLE = """\
hosts,rails,collective,gbyte_s
"gpu[001-003]",,,360.5
"gpu001,gpu005",0 3,all-to-all,48
"""


def read(folder: Path, text: str, name: str = "result.txt") -> list[MeasuredBandwidth]:
    (folder / name).write_text(text)
    return read_results(folder / name)


def test_text_of_nccl_tests(tmp_path: Path) -> None:
    (result,) = read(tmp_path, TEXT)
    assert result.hosts == ("gpu001", "gpu007")
    assert (result.kind, result.gbyte_s) == (CollectiveKind.ALL_REDUCE, 386.56)


def test_text_without_the_name_of_the_test(tmp_path: Path) -> None:
    text = TEXT.split("\n", 1)[1]
    (result,) = read(tmp_path, text, "alltoall-su1.log")
    assert result.kind is CollectiveKind.ALL_TO_ALL
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, "su1.log")
    assert "which test it was is unknown" in caught.value.findings[0].message


def test_all_lines_that_are_wrong_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="^2 mistakes in the results") as caught:
        read(tmp_path, 'hosts,gbyte_s\n"a,b",x\n"a,b",4\na,4\n', "burn-in.csv")
    assert [item.position.line for item in caught.value.findings if item.position] == [2, 4]


def test_all_cells_of_a_line_that_are_wrong_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="^4 mistakes in the results") as caught:
        read(tmp_path, "hosts,gbyte_s,rails,collective\na,fast,x,gossip\n", "burn-in.csv")
    words = [item.message.partition(":")[0] for item in caught.value.findings]
    assert words == ["hosts", "bus bandwidth", "rails", "collective"]


def test_text_of_an_old_version(tmp_path: Path) -> None:
    (result,) = read(tmp_path, OLD)
    assert (result.kind, result.hosts, result.gbyte_s) == (
        CollectiveKind.ALL_TO_ALL,
        ("gpu001", "gpu002"),
        0.52,
    )
    assert result.devices == "=mlx5_1,mlx5_2"


def test_json_of_nccl_tests(tmp_path: Path) -> None:
    (result,) = read(tmp_path, json.dumps(REPORT), "r.json")
    assert (result.hosts, result.gbyte_s) == (("gpu009", "gpu002"), 97.25)
    assert result.devices == "=mlx5_1,mlx5_3"


def test_a_burn_in_report(tmp_path: Path) -> None:
    first, second = read(tmp_path, TABLE)
    assert (first.hosts, first.rails) == (("gpu001", "gpu002", "gpu003"), None)
    assert (second.kind, second.rails, second.place.line) == (CollectiveKind.ALL_TO_ALL, (0, 3), 3)


WRONG = {
    "no ranks in a text": (TEXT.replace(RANKS, ""), "no host names"),
    "no ranks in JSON": (json.dumps({**REPORT, "config": {"devices": []}}), "no host names"),
    "JSON of rccl-tests": (
        json.dumps([{"name": "AllReduce", "ranks": 16, "size": 8, "busBw": 9.0}]),
        "JSON of rccl-tests has no host names",
    ),
    "another JSON": ('{"a": 1}', "no JSON of nccl-tests"),
    "damaged JSON": ('{"a": ', "not JSON"),
    "a test that is not read": (TEXT.replace("all_reduce", "sendrecv"), "sendrecv_perf is not"),
    "wrong values": (TEXT.replace("386.56      0", "386.56      7"), "7 values are wrong"),
    "no line": (TEXT.replace(LINES, ""), "no line with a bus bandwidth"),
    "no host in a table": ("hosts,gbyte_s\n,5\n", "hosts: "),
    "one host in a table": ("hosts,gbyte_s\na,5\n", "hosts: fewer than two"),
    "no column of hosts": ("nodes,gbyte_s\n2,5\n", "no column hosts"),
    "an unknown column": ("hosts,gbyte_s,gpu\n", "unknown column 'gpu'"),
    "an infinite figure": ('hosts,gbyte_s\n"a,b",inf\n', "'inf' is not between"),
    "a figure below 0": ('hosts,gbyte_s\n"a,b",-1\n', "'-1' is not between"),
    "a test that failed": ('hosts,gbyte_s\n"a,b",0\n', "0 is no result"),
    "a malformed range": ('hosts,gbyte_s\n"a[3-1]",4\n', "hosts: "),
    "rails with commas": ('hosts,gbyte_s,rails\n"a,b",4,"0,1"\n', "rails: not numbers"),
    "an unknown collective": ('hosts,gbyte_s,collective\n"a,b",4,x\n', "'x' is unknown"),
    "an open quote": ('hosts,gbyte_s\n"a,b\n', "not CSV"),
    "an empty file": ("", "no column hosts"),
    "too many lines": ("hosts,gbyte_s\n" + '"a,b",5\n' * (MAX_ROWS + 1), "more than 100,000"),
}


@pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    (finding,) = caught.value.findings
    assert words in finding.message
    assert finding.position
    assert finding.position.file.endswith("result.txt")
    assert finding.fix
