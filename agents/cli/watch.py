"""``watch``: what happens on a board, as it happens."""

import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter

from agents.cli.errors import Failed
from agents.cli.output import number, print_json
from agents.cli.places import OPERATOR, BoardName, Who, opened
from bus.messages import Change, Signal
