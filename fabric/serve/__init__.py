"""The service: placements, state and topology over HTTP (``rocefab serve``)."""
