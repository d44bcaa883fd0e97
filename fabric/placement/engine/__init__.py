"""The search for hosts: what a job sends, what the links carry now, and the least loaded choice."""
