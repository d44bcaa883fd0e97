"""The shell of the stand-ins that are a Linux system, with its files and ordinary commands."""
