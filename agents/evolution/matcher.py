"""Which strategies a task is gone about by, and what they say to it (chapter 5, "At run time a matcher picks").

Laws:
1. It is a function of what it is given: the same task, asked twice, is gone about the same way.
2. Of strategies that speak about the same thing (a call's tool, one parameter, the plan, a setting) the one of the highest priority has its
   way; of equal ones the higher version, then the name that comes first.
3. A rule is asked about a call as the agent would make it, only that the tool is the one that the call is to go to. So no rule sees what
   another changed, and their order tells nothing.
4. Whatever is picked or passed over says why. Where nothing is picked, everything is passed through.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct

from agents.conditions import Situation, explain, meets, of_calls, of_task
from agents.evolution.plans import filled, unknown
from agents.evolution.strategies import Parameters, PlanStep, Release, Rule, Strategy, Template


class Call(Struct, frozen=True):
    """A call as the strategies would have it, and what each of them did to it; nothing, if none spoke about it."""

    tool: str
    parameters: dict[str, Any]
    why: tuple[str, ...] = ()


class Choice(Struct, frozen=True):
    """A strategy, and why it is picked, or passed over."""

    strategy: Strategy
    why: str


class Picked(Struct, frozen=True):
    """The strategies that are in force for a task."""

    situation: Situation
    applied: tuple[Choice, ...] = ()
    """The one that has its way first."""
    passed: tuple[Choice, ...] = ()

    @staticmethod
    def of(strategies: Iterable[Strategy], situation: Situation) -> "Picked":
        """Those of ``strategies`` that apply, whatever has become of them."""
        return _picked([Choice(each, "") for each in strategies], [], situation)

    @property
    def refs(self) -> tuple[str, ...]:
        """What is in force, as *name@version*, the one that has its way first."""
        return tuple(choice.strategy.ref for choice in self.applied)

    @property
    def advice(self) -> list[str]:
        """What to mind, each thing once."""
        return list(dict.fromkeys(body.advice for _, body in self._rules() if body.advice))

    @property
    def parameters(self) -> dict[str, str | int | float | bool]:
        """The settings, by name."""
        settings: dict[str, str | int | float | bool] = {}
        for choice in reversed(self.applied):
            if isinstance(choice.strategy.body, Parameters):
                settings |= choice.strategy.body.values
        return settings

    def plan(self, variables: Mapping[str, Any] | None = None) -> list[PlanStep]:
        """The steps, with their variables filled: from ``variables``, or else the task's facts, or else the template. Empty: no plan."""
        for choice in self.applied:
            if isinstance(choice.strategy.body, Template):
                return filled(choice.strategy.body, {**self.situation.facts, **(variables or {})})
        return []

    def call(self, tool: str, parameters: Mapping[str, Any]) -> Call:
        """What becomes of a call that is about to be made."""
        given = self.situation.calling(tool, parameters)
        chosen = next((use for rule, body in self._rules() if (use := body.use) and meets(of_calls(rule.when), given)), tool)
        goes = given if chosen == tool else self.situation.calling(chosen, parameters)
        why: list[str] = []
        made = dict(parameters)
        settled: set[str] = set()
        for rule, body in self._rules():
            # A rule that chose the tool speaks about the call as it was; one that wanted another tool does not speak about this.
            asked = given if body.use else goes
            if not meets(of_calls(rule.when), asked) or body.use not in {None, chosen}:
                continue
            fresh = {name: value for name, value in {**_absent(body.defaults, parameters), **body.set}.items() if name not in settled}
            settled |= fresh.keys()
            done = [f"{chosen} in place of {tool}"] if body.use and chosen != tool else []
            done += [f"{name}={value!r}" for name, value in fresh.items() if name not in made or made[name] != value]
            made |= fresh
            if done:
                because = explain(of_calls(rule.when), asked)
                why.append(f"{rule.ref}: {', '.join(done)}" + (f", since {because}" if because else ""))
        return Call(chosen, made, tuple(why))

    def _rules(self) -> list[tuple[Strategy, Rule]]:
        return [(choice.strategy, choice.strategy.body) for choice in self.applied if isinstance(choice.strategy.body, Rule)]


def pick(releases: Iterable[Release], situation: Situation, *, task: str) -> Picked:
    """The strategies that the task of this id is gone about by.

    Of each name that is the active version, or, for the share of tasks whose ids fall there, a canary in its place. A name's canaries have
    shares beside one another, the newest first.
    """
    choices: list[Choice] = []
    passed: list[Choice] = []
    by_name: dict[str, list[Release]] = {}
    for release in releases:
        by_name.setdefault(release.strategy.name, []).append(release)
    for name, of_name in by_name.items():
        at, below, tried = _place(name, task), 0.0, ""
        for release in sorted(of_name, key=lambda release: (release.status != "canary", -release.strategy.version)):
            strategy, status = release.strategy, release.status
            if status == "canary":
                share = f"canary: {release.share:.0%} of tasks"
                if below <= at < below + release.share:
                    tried = strategy.ref
                    choices.append(Choice(strategy, f"{share}, and this one"))
                else:
                    passed.append(Choice(strategy, f"{share}, and not this one"))
                below += release.share
            elif status != "active":
                passed.append(Choice(strategy, f"it is {'a candidate' if status == 'candidate' else status}"))
            elif tried:
                passed.append(Choice(strategy, f"{tried} is tried in its place"))
            else:
                choices.append(Choice(strategy, ""))
    return _picked(choices, passed, situation)


def _picked(choices: Iterable[Choice], passed: Iterable[Choice], situation: Situation) -> Picked:
    """Those of ``choices`` that apply, beside what was ``passed`` over before."""
    applied: list[Choice] = []
    over = list(passed)
    plan: Strategy | None = None
    for choice in sorted(choices, key=lambda choice: _rank(choice.strategy)):
        strategy = choice.strategy
        against = _against(strategy, situation)
        if not against and isinstance(strategy.body, Template):
            if plan:
                against = f"{plan.ref} has the plan: its priority is {plan.priority}, and this one's {strategy.priority}"
            plan = plan or strategy
        if against:
            over.append(Choice(strategy, against))
        else:
            applied.append(Choice(strategy, "; ".join(filter(None, (choice.why, _for(strategy, situation))))))
    return Picked(situation, tuple(applied), tuple(over))


def _place(name: str, task: str) -> float:
    """Where a task lies among a name's tasks, in [0, 1): by its id alone, evenly, and for each name apart."""
    return int.from_bytes(sha256(f"{name}\0{task}".encode()).digest()[:8]) / 2**64


def _rank(strategy: Strategy) -> tuple[int, int, str]:
    return -strategy.priority, -strategy.version, strategy.name


def _against(strategy: Strategy, situation: Situation) -> str:
    """Why it does not apply to the task; empty: it does."""
    if strategy.types and situation.type not in strategy.types:
        return f"the type is {situation.type!r}, and this is for {', '.join(strategy.types)}"
    if not meets(of_task(strategy.when), situation):
        return explain(of_task(strategy.when), situation)
    if missing := [tool for tool in _tools(strategy) if tool not in situation.tools]:
        return f"the task has no tool {', '.join(missing)}: it has {', '.join(situation.tools) or 'none'}"
    if isinstance(strategy.body, Template) and (names := unknown(strategy.body, situation.facts)):
        return f"its plan names {', '.join(f'{{{name}}}' for name in names)}, and the task has no such fact"
    return ""


def _for(strategy: Strategy, situation: Situation) -> str:
    """Why it applies to the task, in words."""
    of_type = f"the type is {situation.type!r}" if strategy.types else ""
    at_calls = f"asked at each call: {', '.join(of_calls(strategy.when))}" if of_calls(strategy.when) else ""
    return "; ".join(filter(None, (of_type, explain(of_task(strategy.when), situation), at_calls))) or "it is for every task"


def _tools(strategy: Strategy) -> Sequence[str]:
    """The tools that it would have called."""
    match strategy.body:
        case Rule(use=str(tool)):
            return (tool,)
        case Template(steps=steps):
            return tuple(dict.fromkeys(step.tool for step in steps if step.tool is not None))
        case _:
            return ()


def _absent(defaults: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in defaults.items() if name not in parameters}
