"""The book of lines of each switch system: its language, its rules, and what they say.

Other rooms ask it: the lab what it accepts, the change engine what is ours and how it is negated,
``explain`` where a line comes from, the proof what Batfish may miss.
"""
