"""Card sets, crews and decks written as TOML that reads back to the same models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import POOL_MODELS
from bhsim.games.skirmish.model import CardSet, Crew, Deck, Effect

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def toml_value(value: Any) -> str:
    """One value on one line: text, whole number, truth value, list or table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's escapes are JSON's and DEL
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(toml_value(item) for item in value) + "]"


def toml_key(key: str) -> str:
    """A key, quoted where it must be."""
    return key if key and set(key) <= _BARE else toml_value(key)


def rows_data(effects: Iterable[Effect]) -> list[dict[str, Any]]:
    """Effect rows as plain tables with only what was written, in the shortest spelling."""
    return [_row(effect) for effect in effects]


def _row(effect: Effect) -> dict[str, Any]:
    row = effect.model_dump(exclude_unset=True)
    ordered = {"trigger": row.pop("trigger"), "op": row.pop("op"), **row}
    if ordered.get("states") == list(v.ONLINE):
        ordered["states"] = "any_online"
    elif ordered.get("states") == list(v.HACKABLE):
        ordered["states"] = "any"
    if "conditions" in ordered:
        ordered["conditions"] = [_condition(c) for c in ordered["conditions"]]
    return ordered


def _condition(condition: dict[str, Any]) -> Any:
    if "count" in condition:
        return condition
    return ("not " if condition.get("negate") else "") + condition["kind"]


def cardset_toml(cardset: CardSet, comment: str = "", pools: Iterable[str] = tuple(POOL_MODELS), include: Iterable[str] = ()) -> str:
    """A card set file with the given pools; ``comment`` stands at its top, one ``#`` line for each of its lines."""
    lines = [f"# {line}".rstrip() for line in comment.split("\n")] if comment else []
    lines += [f"name = {toml_value(cardset.name)}", f"house_values = {toml_value(cardset.house_values)}"]
    if include := list(include):
        lines.append(f"include = {toml_value(include)}")
    for pool in pools:
        for key, entry in getattr(cardset, pool).items():
            lines += ["", f"[{pool}.{toml_key(key)}]", *_entry_lines(entry)]
    return "\n".join(lines) + "\n"


def _entry_lines(entry: BaseModel) -> list[str]:
    lines = []
    for name, value in entry.model_dump(exclude_unset=True, exclude={"effects"}).items():
        if value is not None:
            lines.append(f"{name} = {toml_value(value)}")
    rows = rows_data(entry.effects)
    if len(rows) == 1:
        lines.append(f"effects = [{toml_value(rows[0])}]")
    elif rows:
        lines += ["effects = [", *(f"  {toml_value(row)}," for row in rows), "]"]
    return lines


def crew_toml(crew: Crew) -> str:
    """A crew file."""
    lines = [f"name = {toml_value(crew.name)}"]
    if crew.deck is not None:
        lines.append(f"deck = {toml_value(crew.deck)}")
    lines.append(f"house_values = {toml_value(crew.house_values)}")
    members = [f"  {toml_value(member.model_dump())}," for member in crew.members]
    return "\n".join([*lines, "members = [", *members, "]"]) + "\n"


def deck_toml(deck: Deck) -> str:
    """A deck file, slots in order."""
    lines = [f"name = {toml_value(deck.name)}", f"house_values = {toml_value(deck.house_values)}", "", "[cards]"]
    return "\n".join([*lines, *(f"{toml_key(title)} = {copies}" for title, copies in deck.cards.items())]) + "\n"


def template_toml(cardset: CardSet) -> str:
    """An empty card set with the printed names of ``cardset``, its numbers left for the owner of the cards to fill in."""
    lines = [
        "# A card set to fill in from printed cards: take the # from each line and write the number behind it.",
        "# bhsim validate FILE names what is still missing. docs/effects.md explains effects; an entry without a",
        "# text needs none. An entry that you do not own can simply be deleted.",
        'name = "My card set"',
        "house_values = false",
    ]
    for pool, model in POOL_MODELS.items():
        numbers = [name for name, field in model.model_fields.items() if field.is_required() and name != "name"]
        for key, entry in getattr(cardset, pool).items():
            lines += ["", f"[{pool}.{toml_key(key)}]", f"name = {toml_value(entry.name)}", *(f"# {name} = " for name in numbers)]
            if pool == "cards":
                lines.append("# max_copies = ")
            lines += ["# effects = [", f"#   {_EXAMPLES[pool]},", "# ]", '# text = ""']
    return "\n".join(lines) + "\n"


_EXAMPLES = {
    "runners": '{ trigger = "signature", op = "heal", target = "ally", within = "subnet", amount = 1 }',
    "rigs": '{ trigger = "passive", op = "stat", target = "self", stat = "security", amount = 1 }',
    "cards": '{ trigger = "played", op = "hack", count = 2, up_to = true, states = "any_online" }',
}
