"""The scent field (chapter 3): messages in, facts with a confidence out. It needs no board, and is part of one."""
