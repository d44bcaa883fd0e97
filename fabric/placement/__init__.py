"""Which hosts a job gets, in which rank order, with which settings; and exports for schedulers.

Nothing here polls anything: what is down or drained comes in as an argument.
"""
