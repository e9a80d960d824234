"""Strategies, and how they change by what failed (chapter 5)."""
