"""SONiC's table of lossless buffers: read as the switch has it, and every mistake named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fabric.platforms.model import HeadroomRow
from fabric.platforms.pg_table import SPEEDS_MBPS, parse_pg_table, unreserved
from tests.cases import each
from tests.reference import SHARED

TABLES = SHARED / "fixtures" / "sonic" / "pg_profile_lookup"

#: As a switch has it: comments, ragged columns, one table without and one with xon_offset.
SAMPLE = """\
# PG lossless profiles.
# speed cable size    xon  xoff threshold xon_offset
 100000  5m   1248    2288 165568  0        2288
400000\t40m   1248    2288 330200  -3       2288

    # no offset below
800000   300m   1248    0 929132  7
"""


def test_sample() -> None:
    table = parse_pg_table(SAMPLE)
    assert table.problems == ()
    assert table.rows == {
        (100_000, 5): HeadroomRow(1248, 2288, 165_568, 0, 2288),
        (400_000, 40): HeadroomRow(1248, 2288, 330_200, -3, 2288),
        (800_000, 300): HeadroomRow(1248, 0, 929_132, 7),
    }
    assert table.lines == {(100_000, 5): 3, (400_000, 40): 4, (800_000, 300): 7}


@pytest.mark.parametrize("text", ["", "\n\n", "# speed cable\n", "\ufeff# only\r\n\r\n"])
def test_an_empty_table_has_no_rows_and_no_problems(text: str) -> None:
    table = parse_pg_table(text)
    assert (table.rows, table.problems) == ({}, ())


def test_line_ends_of_other_systems() -> None:
    assert parse_pg_table("\ufeff" + SAMPLE.replace("\n", "\r\n")) == parse_pg_table(SAMPLE)


SIZE = "1 1 1"
#: Line -> column, message, fix.
MISTAKES = {
    "100000 5m 1 1 1": (1, "5 columns, not 6 or 7", "write speed, cable, size, xon, xoff, "),
    "  x": (3, "1 column, not 6 or 7", "write speed"),
    "100000 5m 1 1 1 0 1 1": (1, "8 columns, not 6 or 7", "write speed"),
    "100 5m 1 1 1 zero": (14, "threshold: 'zero' is not a whole number", "write bytes"),
    "400 5m 1 1 1 0": (1, "speed: '400' is not a port speed in Mb/s", "did you mean 400000?"),
    "100G 5m 1 1 1 0": (1, "speed: '100G' is not a port speed in Mb/s", "did you mean 100000?"),
    "7 5m 1 1 1 0": (1, "speed: '7' is not a port speed in Mb/s", "write Mb/s, such as 100000"),
    "-100000 5m 1 1 1 0": (1, "speed: '-100000' is not a port speed", "write Mb/s"),
    "100000 40 1 1 1 0": (8, "cable: '40' is not a cable length", "write 40m"),
    "100000 0m 1 1 1 0": (8, "cable: '0m' is not a cable length", "write metres with an m"),
    "100000 -5m 1 1 1 0": (8, "cable: '-5m' is not a cable length", "write metres"),
    "100000 5.5m 1 1 1 0": (8, "cable: '5.5m' is not a cable length", "write metres"),
    "100000 5m -1 1 1 0": (11, "size: -1 is not from 0 to 1099511627776", "write bytes"),
    "100000 5m 1 1k 1 0": (13, "xon: '1k' is not a whole number", "write bytes, digits only"),
    "100000 5m 1 1 0 0": (15, "xoff: 0 is not from 1 to 1099511627776", "write bytes"),
    "100000 5m 1 1 ٣ 0": (15, "xoff: '٣' is not a whole number", "write bytes"),
    "100000 5m 1 1 1 8": (17, "threshold: 8 is not log2(alpha), from -8 to 7", "tables with"),
    "100000 5m 1 1 1 36736": (17, "threshold: 36736 is not log2(alpha)", "static thresholds"),
    "100000 5m 1 1 1 0 -1": (19, "xon_offset: -1 is not from 0 to", "write bytes"),
    "100000 5m 9" + "9" * 60 + " 1 1 0": (11, f"size: '{'9' * 37}...' is not a whole", "digits"),
}


@each("line", MISTAKES)
def test_mistakes(line: str) -> None:
    table = parse_pg_table(f"# head\n{line}\n")
    assert table.rows == {}
    (problem,) = table.problems
    column, message, fix = MISTAKES[line]
    assert (problem.line, problem.column) == (2, column)
    assert problem.message.startswith(message)
    assert fix in problem.fix


def test_all_mistakes_of_a_file_come_together_and_good_rows_stay() -> None:
    table = parse_pg_table("100000 5m 1 1 1 0\n4 5 1 1 0 0\n100000 5m 2 2 2 0\n100000 40m 1 1 2 0")
    assert [(one.line, one.column) for one in table.problems] == [(2, 1), (2, 3), (2, 9), (3, 1)]
    assert table.problems[-1].message == "100000 Mb/s and 5m stand here and in line 1"
    assert sorted(table.rows) == [(100_000, 5), (100_000, 40)]
    assert table.rows[100_000, 5].size_bytes == 1


def test_rows_that_reserve_too_little() -> None:
    """NVIDIA: size is XON and headroom, up to rounding, or XON with a shared headroom pool."""
    table = parse_pg_table(
        "100000 5m 53248 19456 33792 0\n"  # both
        "100000 40m 19456 19456 44032 0\n"  # shared headroom pool
        "100000 300m 52224 19456 33792 0\n"  # 1 KiB less: rounded apart
        "200000 5m 40000 19456 33792 0\n"
    )
    (problem,) = unreserved(table)
    assert problem.line == 4
    assert problem.message == "size 40,000 is less than xon and xoff together, 53,248"


ROWS = st.dictionaries(
    st.tuples(st.sampled_from(SPEEDS_MBPS), st.integers(1, 120_000)),
    st.tuples(
        st.integers(0, 2**40),
        st.integers(0, 2**40),
        st.integers(1, 2**40),
        st.integers(-8, 7),
        st.none() | st.integers(0, 2**40),
    ),
    max_size=20,
)


@given(ROWS, st.sampled_from([" ", "\t", "   "]))
def test_what_is_written_is_read_again(rows: dict, gap: str) -> None:
    lines = [
        gap.join([str(speed), f"{cable}m", *(str(value) for value in row if value is not None)])
        for (speed, cable), row in rows.items()
    ]
    table = parse_pg_table("\n".join(lines))
    assert table.problems == ()
    assert table.rows == {pair: HeadroomRow(*row) for pair, row in rows.items()}


WORDS = st.sampled_from(["100000", "5m", "0", "-1", "9" * 30, "#", "m", "\x00", "1e3", "²", "é"])


@given(st.text() | st.lists(WORDS, max_size=9).map(" ".join))
@example("m m m m m m m")
@example("100000 ²m 1 1 1 0")
def test_no_text_breaks_the_reader(text: str) -> None:
    table = parse_pg_table(text)
    assert all(row.headroom_bytes > 0 for row in table.rows.values())
    assert all(one.line >= 1 and one.column >= 1 and one.fix for one in table.problems)
    assert all(one.message.isprintable() for one in table.problems)


@pytest.mark.parametrize("file", sorted(TABLES.glob("*.ini")) or [None])
def test_tables_of_real_switches(file: Path | None) -> None:
    """Every line that is no comment becomes a row with the same numbers."""
    if file is None:
        pytest.skip(f"no vendor tables in {SHARED}; set ROCEFAB_REFERENCE to the reference data")
    table = parse_pg_table(file.read_text(encoding="utf-8"))
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    wanted = [words for words in lines if words and not words[0].startswith("#")]
    assert table.problems == ()
    assert [
        [
            str(speed),
            f"{cable}m",
            str(row.size_bytes),
            str(row.xon_threshold_bytes),
            str(row.headroom_bytes),
            str(row.dynamic_th),
            *([] if row.xon_offset_bytes is None else [str(row.xon_offset_bytes)]),
        ]
        for (speed, cable), row in table.rows.items()
    ] == wanted
