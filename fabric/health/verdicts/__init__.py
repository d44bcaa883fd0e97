"""The verdicts, a module for each topic."""
