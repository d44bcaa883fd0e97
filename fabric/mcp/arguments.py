"""Arguments of the tools: no unknown member, no guess at a type, and no path."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from fabric.placement.condition import Line  # noqa: TC001 - pydantic reads it
from fabric.serve.requests import Body

#: Findings or rows in one answer at most, unless asked for more; ours: a page that people read.
PAGE = 100
#: Configurations of one audit, and letters of each: those of a large fabric, in one message.
MOST_FILES, MOST_LETTERS = 1000, 2_000_000

Page = Annotated[int, Field(ge=1, le=10_000)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[!-~]+$")]
FileName = Annotated[
    str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
]
#: Names of git; neither an option nor a range.
Revision = Annotated[
    str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/@~^-]*$")
]


class Paged(Body):
    """Which part of a long list is returned."""

    limit: Page = Field(PAGE, description="Most entries of the answer.")
    offset: Offset = Field(0, description="Entries to leave out at the beginning.")


class CheckArguments(Paged):
    """Which findings of the inventory are returned."""

    device: Line = Field("", description="Only findings of this switch or host.")


class ExplainArguments(Body):
    """What is explained."""

    subject: Word = Field(
        description="A switch, a host, a rule such as QOS024, or a known defect such as DEF012."
    )
    text: Line = Field(
        "", description="Of a switch or host: a port, or a line, table or field of its settings."
    )


class DiffArguments(Body):
    """What the inventory is compared with."""

    since: Revision = Field("HEAD", description="Git revision; compared with the working tree.")


class AuditArguments(Paged):
    """Configurations that are judged without the inventory."""

    configurations: Annotated[
        dict[FileName, Annotated[str, StringConstraints(max_length=MOST_LETTERS)]],
        Field(min_length=1, max_length=MOST_FILES),
    ] = Field(description="Running configuration of each switch, by file name.")
    system: Line = Field(
        "", description="Switch system of all of them; default: recognised by their lines."
    )


class StatusArguments(Paged):
    """Which runs are listed."""

    run: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Run whose devices are listed; default: all runs."
    )
