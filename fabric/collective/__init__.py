"""From bandwidth to the cable: what collectives should reach, and what explains less."""
