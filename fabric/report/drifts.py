"""The rules of `drift --watch`: in `show rules`, in `explain` and in docs/reference/rules.md."""

from __future__ import annotations

from fabric.core.findings import Severity
from fabric.validate.rule import DescribedRule, areas

areas.add("DRF")("Drift of running devices (`rocefab drift --watch`)")

CONFIGURATION, SETTING, UNKNOWN, UNREAD, REPAIR, RELEASE = (
    f"DRF00{number}" for number in range(1, 7)
)
_OWN = "own definition: docs/judge.md (drift)"

DRIFT_RULES: dict[str, DescribedRule] = {
    row[0]: DescribedRule(*row, looks_at="devices")
    for row in (
        (
            CONFIGURATION,
            Severity.ERROR,
            "The configuration runs as the inventory says",
            "What was checked and proved holds for the inventory, not for a value that runs.",
            "run `rocefab plan` and apply it, or change the inventory",
            _OWN,
        ),
        (
            SETTING,
            Severity.ERROR,
            "NICs and neighbours are as the inventory says",
            "A NIC with another setting pauses, marks or answers in a way that no switch expects.",
            "restore the setting, or change the inventory",
            _OWN,
        ),
        (
            UNKNOWN,
            Severity.WARNING,
            "Every setting can be read",
            "A setting that cannot be read may be wrong: it is unknown, not fine.",
            "give the account the rights of docs/reference/rights.md, or install what is missing",
            _OWN,
        ),
        (
            UNREAD,
            Severity.WARNING,
            "Every device can be read",
            "Nothing is known of a device that does not answer; earlier findings of it last.",
            "check that the device is reachable with the account of the connections file",
            _OWN,
        ),
        (
            REPAIR,
            Severity.ERROR,
            "A repair that the inventory allows succeeds",
            "A repair that failed is not repeated: a person has to look first.",
            "run `rocefab status`, then `rocefab plan` and apply it by hand",
            _OWN,
        ),
        (
            RELEASE,
            Severity.WARNING,
            "A switch runs the release that the inventory plans",
            "Syntax, ranges and defaults differ between releases; files are for the planned one.",
            "upgrade the switch, or change `release` in the inventory",
            _OWN,
        ),
    )
}
