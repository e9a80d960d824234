"""What agents keep of their work, compressed in three tiers, and what they recall of it (chapter 5)."""
