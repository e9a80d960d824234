"""Claims about choosing what goes into a prompt."""
