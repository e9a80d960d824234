"""What agents keep of their work, compressed in three tiers, and what they recall of it (chapter 5).

Names are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING

from blackboard.lazy import lazy

if TYPE_CHECKING:
    from agents.memory.distiller import distil_board
    from agents.memory.experience import recall
    from agents.memory.guard import lost
    from agents.memory.imports import read_json_lines, read_tau, write_json_lines
    from agents.memory.journal import Journal
    from agents.memory.llm_summariser import LLMSummariser
    from agents.memory.memory import Memory
    from agents.memory.recorder import Task
    from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, ToolCall, Turn, Verdict
    from agents.memory.summarising import Extractive, Summariser

__all__ = [
    "Experience",
    "Extractive",
    "Journal",
    "LLMSummariser",
    "Memory",
    "StepRecord",
    "Summariser",
    "Task",
    "TaskLog",
    "TaskRecord",
    "ToolCall",
    "Turn",
    "Verdict",
    "distil_board",
    "lost",
    "read_json_lines",
    "read_tau",
    "recall",
    "write_json_lines",
]

_HOMES = {
    "Experience": "records",
    "Extractive": "summarising",
    "Journal": "journal",
    "LLMSummariser": "llm_summariser",
    "Memory": "memory",
    "StepRecord": "records",
    "Summariser": "summarising",
    "Task": "recorder",
    "TaskLog": "records",
    "TaskRecord": "records",
    "ToolCall": "records",
    "Turn": "records",
    "Verdict": "records",
    "distil_board": "distiller",
    "lost": "guard",
    "read_json_lines": "imports",
    "read_tau": "imports",
    "recall": "experience",
    "write_json_lines": "imports",
}

__getattr__, __dir__ = lazy(__name__, _HOMES)
