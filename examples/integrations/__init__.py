"""The board beside a framework, each example runnable by name: ``python -m examples.integrations.langchain``.

None needs a model or a network.
"""
