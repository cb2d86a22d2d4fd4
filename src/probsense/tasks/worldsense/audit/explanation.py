"""Explains in words why an answer is right."""

from __future__ import annotations

from probsense.tasks.worldsense.text.logic import Orders, ParsedQuestion, Worlds, decide, possible_worlds


def reason(question: ParsedQuestion) -> str:
    """Explain why the answer that the solver gives is the right one, with worlds as witnesses."""
    n = len(question.names)
    possible = possible_worlds(n, question.facts, question.lines)
    if question.kind == "consist":
        if possible:
            return f"all facts hold in {_world(question, possible)}"
        return "the facts contradict each other"
    if not possible:
        return "the facts contradict each other, so no answer is right"
    verdicts = decide(n, question.facts, question.claims, question.lines)
    subject = "the claim" if question.kind == "infer" else "(1)"
    claim = question.claims[0]
    if claim.relation == "foreign":
        return f"{subject} compares in a way the story says nothing about"
    if question.kind == "compl" and verdicts == ("no", "yes"):
        subject, claim, verdicts = "(2)", question.claims[1], ("yes",)
    if verdicts[0] == "undecided":
        return (
            f"the facts do not decide {subject}: it holds in {_world(question, possible.where(claim))}, "
            f"and does not hold in {_world(question, possible.where(claim, holds=False))}"
        )
    does = "holds" if verdicts[0] == "yes" else "does not hold"
    world = _world(question, possible)
    if possible.alone:
        return f"{subject} {does} in the only world that fits the facts: {world}"
    return f"{subject} {does} in every world that fits the facts, as in {world}"


def _world(question: ParsedQuestion, possible: Worlds) -> str:
    """Describe one of the possible worlds in words."""
    names, world = question.names, possible.some()
    if isinstance(possible, Orders):
        return f"the order {' > '.join(names[i] for i in world)}"
    sides = [
        [name for name, way in zip(names, world, strict=True) if (way == world[0]) is near]
        for near in (True, False)
    ]
    return " across ".join(" and ".join(side) for side in sides if side)
