"""The vocabulary and the transport. Knows no board, and no network but in ``nats`` and ``server``."""
