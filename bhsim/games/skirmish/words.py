"""Effect rows turned back into English, so that a designer can compare them with the printed text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import Condition, Effect

INTRO = {
    "played": "When played: ",
    "flipped": "When flipped: ",
    "signature": "Signature action: ",
    "common": "Action: ",
    "passive": "Passive: ",
    "after_moving": "After it moved: ",
    "damaged": "When it is damaged: ",
    "disconnected": "When it is disconnected: ",
    "disconnecting": "When it disconnects an enemy: ",
    "securing": "After it secured data: ",
    "extracting": "After it extracted data: ",
    "end_of_round": "At the end of the round: ",
    "start_of_round": "At the start of the round: ",
}
UNTIL = {
    "turn": " until the end of the turn",
    "round": " until the end of the round",
    "next_attack": " for the next attack this round",
    "always": "",
}
_ADJECTIVES = ("ready", "exhausted")
_AFTER = {
    "carrying": "carrying data",
    "not_carrying": "without data",
    "below_full": "below full signal",
    "on_red": "on a red node",
    "on_blue": "on a blue node",
    "on_gray": "on a gray node",
}
_BANNED = {
    "transfer": "transfer data",
    "extract": "extract data",
    "attack": "attack",
    "crossing": "cross subnet borders",
    "secure": "secure data",
    "signature": "take a signature action",
    "common": "take a common action",
    "move": "move",
}


class Who(NamedTuple):
    """A noun phrase; ``plural`` decides the form of the verb."""

    text: str
    plural: bool = False


def text_words(effects: Iterable[Effect]) -> list[str]:
    """One sentence or more for each trigger of a text, in the order in which the triggers first appear."""
    rows: dict[str, list[str]] = {}
    for effect in effects:
        rows.setdefault(effect.trigger, []).append(row_words(effect))
    sentences = []
    for trigger, parts in rows.items():
        joined = ". ".join(_capital(p) for p in parts) if trigger == "passive" else "; then ".join(parts)
        sentences.append(INTRO[trigger] + joined + ".")
    return sentences


def row_words(e: Effect) -> str:
    """One row without its trigger, as a clause without a full stop."""
    clause = _PASSIVE[e.op](e) if e.trigger == "passive" else _CLAUSES[e.op](e)
    if e.optional:
        clause = "you may " + clause
    if not e.conditions:
        return clause
    conditions = " and ".join(_condition(e, c) for c in e.conditions)
    return f"{clause} while {conditions}" if e.trigger == "passive" else f"if {conditions}, {clause}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}" if abs(count) == 1 else f"{count} {noun}s"


def _signed(amount: int) -> str:
    return f"+{amount}" if amount >= 0 else str(amount)


def _or(words: Iterable[str]) -> str:
    parts = list(words)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]


# Who


def _source(e: Effect) -> str:
    return "the attacker" if e.trigger == "flipped" else "this runner"


def _who(e: Effect) -> Who:
    """The target with filters and range."""
    return _with_filters(e, e.target, e.all, _range(e, _source(e)))


def _with_filters(e: Effect, target: str, every: bool, where: str) -> Who:
    front = " ".join(f for f in e.filter if f in _ADJECTIVES)
    back = " and ".join(_AFTER[f] for f in e.filter if f not in _ADJECTIVES)
    front, back = (front + " " if front else ""), (" " + back if back else "")
    fixed = _fixed(e, target)
    if fixed:
        if target == "self" and e.op != "transfer":
            where = ""  # the runner itself is always in its own range
        wanted = [f for f in e.filter if f in _ADJECTIVES] + [_AFTER[f] for f in e.filter if f not in _ADJECTIVES]
        every_one = " (one choice of all)" if every and target != "self" else ""
        return Who(fixed + where + (f" (if {' and '.join(wanted)})" if wanted else "") + every_one)
    if e.trigger == "played":  # no runner of its own that could be left out
        target = {"ally": "own", "other": "any"}.get(target, target)
    if target == "own":
        return Who(f"{'all' if every else 'one of'} your {front}runners{back}{where}", every)
    if every:
        plural = {"ally": "allies", "enemy": "enemies", "any": "runners", "other": "runners"}[target]
        return Who(f"all {'other ' if target == 'other' else ''}{front}{plural}{back}{where}", True)
    if target in ("any", "other"):
        return Who(f"any {'other ' if target == 'other' else ''}{front}runner{back}{where}")
    words = front + target
    return Who(("an " if words[0] in "aeiou" else "a ") + words + back + where)


def _fixed(e: Effect, target: str) -> str | None:
    """Phrases for a runner that needs no choice."""
    if target == "self":
        return _source(e)
    return {
        "own_carrier": "your runner carrying data",
        "enemy_carrier": "the enemy carrying your data",
        "attack_target": "the runner under attack",
        "previous": "the runner chosen before",
        "culprit": "the runner that did it",
        "own_data": "your own data in enemy hands",
    }.get(target)


def _range(e: Effect, centre: str) -> str:
    return {
        "anywhere": "",
        "subnet": f" in {centre}'s subnet",
        "neighbouring": f" next to {centre}",
        "distance": f" within {_amount(e.distance, 'step')} of {centre}",
        "chosen_subnet": " in one chosen subnet",
    }[e.within]


# Clauses by operation


def _nodes(e: Effect) -> str:
    several = e.count > 1
    noun = _amount(e.count, "connected node" if several and e.connected else "node")
    loose = ", connected or not," if several and not e.connected else ""
    return f"{'up to ' if e.up_to else ''}{noun}{_range(e, _source(e))}{loose}"


def _states(e: Effect) -> str:
    if set(e.states) == set(v.ONLINE):
        return "any one online state"
    if set(e.states) == set(v.HACKABLE):
        return "any one state, offline too"
    return _or(s for s in v.HACKABLE if s in e.states)


def _damage(e: Effect) -> str:
    past = " past security" if e.past_security else ""
    return f"deal {e.amount} damage{past} to {_who(e).text}"


def _attack(e: Effect) -> str:
    attacker = {"self": _source(e), "own": "one of your runners", "ally": "an ally"}[e.by]
    centre = _source(e) if e.by == "self" else "the attacker"
    victim = _with_filters(e, e.target, False, _range(e, centre)).text
    if e.data and e.target in ("enemy", "enemy_carrier"):
        victim += " or your own data there" if e.within != "anywhere" else " or your own data"
    extras = []
    if e.amount:
        extras.append(f"{_signed(e.amount)} {'flip' if abs(e.amount) == 1 else 'flips'}")
    if e.bypass:
        extras.append(f"bypass {e.bypass}")
    means = "" if e.by == "self" else f" by {attacker}"
    return f"attack {victim}{means}" + (f" with {' and '.join(extras)}" if extras else "")


def _on_attack(words: str):
    def clause(e: Effect) -> str:
        number = _signed(e.amount) if e.op == "damage_bonus" else str(e.amount)
        text = words.format(number, "" if e.amount == 1 else "s")
        if e.filter:
            wanted = [f if f in _ADJECTIVES else _AFTER[f] for f in e.filter]
            text += f" if its target is {' and '.join(wanted)}"
        return text

    return clause


def _draw(e: Effect) -> str:
    cards = _amount(e.count, "card")
    return {"own": f"draw {cards}", "opponent": f"let your opponent draw {cards}", "both": f"let both players draw {cards}"}[e.player]


def _discard(e: Effect) -> str:
    cards = _amount(e.count, "card") + (" at random" if e.how == "random" else " of their choice")
    if e.player == "own":
        return "discard " + cards.replace("their", "your")
    return f"make {'your opponent' if e.player == 'opponent' else 'both players'} discard {cards}"


def _return_card(e: Effect) -> str:
    chosen = "at random" if e.how == "random" else "of your choice"
    return f"return {_amount(e.count, 'card')} {chosen} from your discard pile to your hand"


def _move(e: Effect) -> str:
    direction = "any" if e.trigger == "played" else e.direction  # a card stands nowhere to move away from
    way = {"any": "", "away": f" away from {_source(e)}", "toward": f" toward {_source(e)}"}[direction]
    return f"move {_who(e).text} up to {_amount(e.amount, 'step')}{way}"


def _place(e: Effect) -> str:
    who = _who(e)
    its, it = ("their", "them") if who.plural else ("its", "it")
    where = {
        "subnet": f"in {its} own subnet",
        "neighbouring": f"next to {it}",
        "home": f"of {its} owner's home row",
        "beside": f"next to {_source(e)}",
    }[e.to]
    each = " each" if who.plural else ""
    return f"place {who.text}{each} on a free node {where}"


def _swap(e: Effect) -> str:
    first = _who(e).text
    kind = e.other
    if e.trigger == "played":
        kind = {"ally": "own", "other": "any"}.get(kind, kind)
    if e.target == "self":  # it cannot change places with itself
        kind = {"own": "ally", "any": "other"}.get(kind, kind)
    other = (
        _fixed(e, kind)
        or {
            "own": "another of your runners",
            "ally": "another ally",
            "enemy": "another enemy",
            "any": "another runner of either side",
            "other": f"another runner of either side{'' if e.target == 'self' else ' but ' + _source(e)}",
        }[kind]
    )
    return f"swap {first} with {other}{_range(e, _source(e))}"


def _transfer(e: Effect) -> str:
    to = _with_filters(e, e.target, False, _range(e, "the carrier")).text
    return f"pass the data from your carrier to {to}"


def _signal(e: Effect) -> str:
    data = "the data that your runner carries" if e.target == "own_carrier" else "your own data in enemy hands"
    return f"{'raise' if e.amount > 0 else 'lower'} the signal of {data} by {abs(e.amount)}"


def _score(e: Effect) -> str:
    points = _amount(e.amount, "point")
    return {"own": f"score {points}", "opponent": f"give your opponent {points}", "both": f"give both players {points}"}[e.player]


def _stat(e: Effect) -> str:
    who, until = _who(e).text, UNTIL[e.duration]
    if e.stat in ("attack", "security", "speed"):
        return f"give {who} {_signed(e.amount)} {e.stat}{until}"
    more = "more" if e.amount > 0 else "fewer"
    return {
        "bypass": f"let attacks by {who} bypass {e.amount}",
        "exposed": f"let attacks on {who} bypass {e.amount}",
        "data_bypass": f"let attacks on data by {who} bypass {e.amount}",
        "damage": f"let attacks by {who} deal {_signed(e.amount)} damage",
        "borders": f"let {who} cross {abs(e.amount)} {more} subnet border{'' if abs(e.amount) == 1 else 's'} in each move",
    }[e.stat] + until


def _passive_stat(e: Effect) -> str:
    who = _who(e)
    if e.stat in ("attack", "security", "speed"):
        return f"{who.text} {'have' if who.plural else 'has'} {_signed(e.amount)} {e.stat}"
    more = "more" if e.amount > 0 else "fewer"
    return {
        "bypass": f"attacks by {who.text} bypass {e.amount}",
        "exposed": f"attacks on {who.text} bypass {e.amount}",
        "data_bypass": f"attacks on data by {who.text} bypass {e.amount}",
        "damage": f"attacks by {who.text} deal {_signed(e.amount)} damage",
        "borders": f"{who.text} may cross {abs(e.amount)} {more} subnet border{'' if abs(e.amount) == 1 else 's'} in each move",
    }[e.stat]


def _bans(e: Effect) -> str:
    return _or(_BANNED[w] for w in v.FORBIDDABLE if w in e.what)


_CLAUSES = {
    "hack": lambda e: f"hack {_nodes(e)} to {_states(e)}",
    "change_state": lambda e: f"change the state of {_nodes(e)} to {_states(e)}, whatever runners or locks are there",
    "damage": _damage,
    "heal": lambda e: f"restore {e.amount} signal to {_who(e).text}",
    "attack": _attack,
    "damage_bonus": _on_attack("this attack deals {0} damage"),
    "bypass": _on_attack("this attack bypasses {0}"),
    "flip": _on_attack("this attack flips {0} more card{1}"),
    "draw": _draw,
    "discard": _discard,
    "return_card": _return_card,
    "exhaust": lambda e: f"exhaust {_who(e).text}",
    "ready": lambda e: f"make ready {_who(e).text}",
    "move": _move,
    "place": _place,
    "swap": _swap,
    "transfer": _transfer,
    "signal": _signal,
    "score": _score,
    "another_turn": lambda e: "take another turn after this one",
    "stat": _stat,
    "forbid": lambda e: f"forbid {_who(e).text} to {_bans(e)}{UNTIL[e.duration]}",
}
_PASSIVE = {"stat": _passive_stat, "forbid": lambda e: f"{_who(e).text.removeprefix('all ')} cannot {_bans(e)}"}


# Conditions


def _condition(e: Effect, c: Condition) -> str:
    own = e.trigger == "passive" and e.target == "self"  # the sentence has just named the runner
    return (_CONDITIONS_NOT if c.negate else _CONDITIONS)[c.kind].format(
        source="it" if own else _source(e),
        place=_source(e),
        count=c.count,
        allies="ally is" if c.count == 1 else "allies are",
        enemies="enemy is" if c.count == 1 else "enemies are",
    )


_CONDITIONS = {
    "carrying": "{source} carries data",
    "below_full": "{source} is below full signal",
    "target_carries": "the target is or carries data",
    "on_red": "{source} is on a red node",
    "on_blue": "{source} is on a blue node",
    "on_gray": "{source} is on a gray node",
    "behind": "you are behind on points",
    "ahead": "you are ahead on points",
    "tied": "points are equal",
    "allies_in_subnet": "at least {count} {allies} in {place}'s subnet",
    "enemies_in_subnet": "at least {count} {enemies} in {place}'s subnet",
}
_CONDITIONS_NOT = {
    "carrying": "{source} carries no data",
    "below_full": "{source} is at full signal",
    "target_carries": "the target neither is nor carries data",
    "on_red": "{source} is not on a red node",
    "on_blue": "{source} is not on a blue node",
    "on_gray": "{source} is not on a gray node",
    "behind": "you are not behind on points",
    "ahead": "you are not ahead on points",
    "tied": "points are not equal",
    "allies_in_subnet": "fewer than {count} {allies} in {place}'s subnet",
    "enemies_in_subnet": "fewer than {count} {enemies} in {place}'s subnet",
}
