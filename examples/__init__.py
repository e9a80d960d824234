"""Crews and demonstrations, each runnable by name: ``pheroboard run examples/NAME`` or ``python -m examples.NAME``."""
