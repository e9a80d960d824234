"""``python -m examples.customer_service``."""

import sys

from agents.cli import main

main(["run", "examples.customer_service", *sys.argv[1:]])
