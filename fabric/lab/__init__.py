"""The embedded lab: stateful stand-ins of switches and hosts that speak the real protocols.

A stand-in is strict (a line that the real system refuses is refused), keeps running, startup and
candidate configuration, and takes faults from a script. What it believes and what it assumes is
written in the docstring of its module.
"""
