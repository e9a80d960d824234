"""What holds for all tests."""

from hypothesis import settings

# How long an example takes says how busy the machine is; what hangs is ended by the tests' own limit.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
