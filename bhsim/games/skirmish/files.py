"""Reading card sets, boards, rules, crews, decks and variants from their files.

Every reader takes a name (looked up by ``places.resolve``) or a path, is strict, and raises ``BadInput`` with all
faults of the file at once, each with its line. Docs: docs/files.md.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import legality
from bhsim.games.skirmish.boards import board_of
from bhsim.games.skirmish.bundle import (
    POOL_MODELS,
    Bundle,
    canonical,
    crew_changed,
    deck_changed,
    digest,
    effect_keys,
    of_side,
    patched,
    paths,
    value_at,
)
from bhsim.games.skirmish.kinds import kind_of, kind_of_file
from bhsim.games.skirmish.model import Board, CardSet, Crew, Deck, Rules
from bhsim.games.skirmish.places import WORDS, names, resolve
from bhsim.inputs.changes import changes_of, in_variant, parse_set
from bhsim.inputs.document import Document, read_text, read_toml, unreadable
from bhsim.inputs.explain import explained
from bhsim.inputs.models import Variant, identifier
from bhsim.inputs.names import match
from bhsim.inputs.scan import Lines, split_path

__all__ = [
    "Bundle", "apply_variant", "digest", "load_bundle", "names", "parse_set", "patched", "paths", "read_board", "read_bot", "read_cardset",
    "read_crew", "read_deck", "read_rules", "read_variant", "resolve", "value_at",
]  # fmt: skip

if TYPE_CHECKING:
    from bhsim.games.skirmish.bots import Bot

Named = str | Path
_TITLE_TWICE = "the title stands twice in the deck"
_DECK_LINE = re.compile(r"^([0-9]+)\s*[xX×]?\s+(\S.*)$")


def load_bundle(
    cardset: Named = "house",
    board: Named = "house",
    rules: Named = "standard",
    variants: Iterable[Named] = (),
    sets: Iterable[str] = (),
) -> Bundle:
    """Card set, board and rules with the changes of variant files, then of ``PATH=VALUE`` texts, applied in order."""
    faults: list[Fault] = []
    notes: list[str] = []
    parts = []
    for kind, read, name in (("cardset", read_cardset, cardset), ("board", read_board, board), ("rules", read_rules, rules)):
        try:
            path, hidden = resolve(kind, str(name), announce=False)
            notes += hidden
            parts.append(read(path))
        except BadInput as error:
            faults += error.faults
    if faults:
        raise BadInput(*faults)
    bundle = Bundle(*parts, notes=tuple(notes))
    if faults := legality.check_rows(bundle.cardset, bundle.rules):
        raise BadInput(*faults)
    for variant in variants:
        bundle = apply_variant(bundle, resolve("variant", str(variant))[0])
    return patched(bundle, dict(parse_set(text) for text in sets), "--set")


def apply_variant(bundle: Bundle, path: Path) -> Bundle:
    """``bundle`` with the changes of a variant file; faults name the line of the file."""
    document = read_toml(path)
    changes = changes_of(document, _validated(document, Variant), canonical)
    try:
        return patched(bundle, {".".join(keys): value for keys, value in changes.items()}, str(path))
    except BadInput as error:
        raise BadInput(*(in_variant(fault, document, changes) for fault in error.faults)) from None


def _validated(document: Document, model: type[BaseModel], data: Any = None) -> Any:
    data = document.data if data is None else data
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BadInput(*(document.located(f) for f in explained(error, model, data, keys=effect_keys))) from None


def _toml(kind: str, name: Named) -> Document:
    path, _ = resolve(kind, str(name))
    document = read_toml(path)
    found = kind_of(document.data)
    if found not in (None, kind):
        is_a, wanted = WORDS.get(found, found), WORDS.get(kind, kind)
        raise BadInput(Fault(f"is a {is_a}, where a {wanted} is wanted", str(path)))
    return document


def read_cardset(name: Named) -> CardSet:
    """A card set with everything that it includes; entries sorted by id, so that their order in the files is free."""
    documents = _with_includes(_toml("cardset", name).path)
    faults: list[Fault] = []
    sets: list[CardSet] = []
    for document in documents:
        data = {key: value for key, value in document.data.items() if key != "include"}
        try:
            sets.append(_validated(document, CardSet, data))
        except BadInput as error:
            faults += error.faults
    faults += _twice(documents)
    if faults:
        raise BadInput(*faults)
    merged = {pool: dict(sorted((k, e) for s in sets for k, e in getattr(s, pool).items())) for pool in POOL_MODELS}
    try:
        cardset = CardSet(name=sets[0].name, house_values=any(s.house_values for s in sets), **merged)
    except ValidationError as error:
        raise BadInput(*(documents[0].located(f) for f in explained(error, CardSet, merged))) from None
    if faults := legality.check_cardset(cardset):
        raise BadInput(*(_in_documents(fault, documents) for fault in faults))
    return cardset


def _with_includes(path: Path, above: tuple[Path, ...] = (), read: set[Path] | None = None) -> list[Document]:
    """The file and all that it includes, depth first; paths of ``include`` are relative to the file that names them."""
    read = set() if read is None else read
    read.add(path.resolve())
    document = read_toml(path)
    listed = document.data.get("include", [])
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        raise BadInput(document.located(Fault("must be a list of file paths", field="include")))
    documents = [document]
    for number, item in enumerate(listed):
        target = _tidied(path.parent / item)
        place = Fault("", field=f"include.{number}", value=item)
        if not target.is_file():
            message = unreadable(target) or f"no such file beside {path.name}"
            raise BadInput(document.located(dataclasses.replace(place, message=message)))
        if target.resolve() in read:
            own = target.resolve() in [p.resolve() for p in (*above, path)]
            raise BadInput(document.located(dataclasses.replace(place, message="includes itself" if own else "is included twice")))
        documents += _with_includes(target, (*above, path), read)
    return documents


def _tidied(path: Path) -> Path:
    """The path without detours, for messages, unless a link on the way makes that another file."""
    short = Path(os.path.normpath(path))
    return short if short.is_file() and short.samefile(path) else path


def _twice(documents: list[Document]) -> list[Fault]:
    faults = []
    first: dict[tuple[str, str], Document] = {}
    for document in documents:
        for pool in POOL_MODELS:
            entries = document.data.get(pool)
            for key in entries if isinstance(entries, dict) else ():
                if (pool, key) in first:
                    fault = Fault(f"stands in {first[pool, key].path} too", field=f"{pool}.{key}", allowed="each id once in a card set")
                    faults.append(document.located(fault))
                first.setdefault((pool, key), document)
    return faults


def _in_documents(fault: Fault, documents: list[Document]) -> Fault:
    keys = split_path(fault.field)[:2] if fault.field else ()
    return next((d for d in documents if d.lines.has(keys)), documents[0]).located(fault)


def read_board(name: Named) -> Board:
    """A board from its picture or its list of nodes, checked as SK-2 asks."""
    return board_of(_toml("board", name))


def read_rules(name: Named) -> Rules:
    """A rules file; switches that it leaves out have the default of the rules page."""
    return _validated(_toml("rules", name), Rules)


def read_bot(name: Named, bundle: Bundle | None = None) -> Bot:
    """A bot file. bundle: whose card set has the titles that the bot never or always plays; without it they stay as written."""
    from bhsim.games.skirmish.bots import Bot, with_ids  # numpy only for those who need a bot

    document = _toml("bot", name)
    bot = _validated(document, Bot)
    try:
        return bot if bundle is None else with_ids(bot, bundle.cardset)
    except BadInput as error:
        raise BadInput(*map(document.located, error.faults)) from None


def read_variant(name: Named) -> Variant:
    """A variant file; its ``set`` table maps whole paths to values, however they were written."""
    document = _toml("variant", name)
    variant = _validated(document, Variant)
    return variant.model_copy(update={"set": {".".join(keys): value for keys, value in changes_of(document, variant, canonical).items()}})


def read_crew(name: Named | Mapping | Crew, bundle: Bundle, side: str | int | None = None, check: bool = True) -> Crew:
    """A crew with its names turned into ids.

    name: a name, a path, a table with the keys of a crew file, or a ready ``Crew``. side (a, b, 0, 1): applies the
    bundle's ``crews.<side>`` changes. Raises ``BadInput`` with every unknown name and, unless ``check`` is false,
    every broken rule (SK-1).
    """
    document = None if isinstance(name, (Mapping, Crew)) else _toml("crew", name)
    crew = name if isinstance(name, Crew) else _inline(name, Crew) if document is None else _validated(document, Crew)
    if side is not None:
        crew = crew_changed(crew, bundle.side_changes, side)
    members = [
        {"runner": _id_of(member.runner, bundle.cardset.runners), "rig": _id_of(member.rig, bundle.cardset.rigs)} for member in crew.members
    ]
    crew = Crew.model_validate({**crew.model_dump(), "members": members})
    faults = legality.check_crew(crew, bundle.cardset, bundle.rules, bundle.board)
    if not check:
        faults = [fault for fault in faults if fault.message.startswith("unknown ")]
    if faults:
        changed = {} if side is None else _with_namesakes(_changed_fields(bundle, "crews", side), crew)
        raise BadInput(*(_blamed(f, changed) or (document.located(f) if document else f) for f in faults))
    return crew


def deck_of(name: Named | Mapping | Crew, crew: Crew) -> str | None:
    """The deck that a crew file names: a file beside the crew's own if there is one, so that a found crew travels with its deck."""
    if crew.deck and isinstance(name, (str, Path)) and not set(crew.deck) & set("/\\"):
        folder = resolve("crew", str(name), announce=False)[0].parent
        for beside in (folder / crew.deck, folder / f"{crew.deck}.toml", folder / f"{crew.deck}.txt"):
            if beside.is_file() and kind_of_file(beside) == "deck":
                return str(beside)
    return crew.deck


def _changed_fields(bundle: Bundle, head: str, side: str | int) -> dict[str, str]:
    """Field of a crew or deck that a change of its side sets -> what to name instead of the file's field."""
    fields = {}
    for parts, _ in of_side(bundle.side_changes, head, side):
        origin = bundle.side_origins.get(".".join(parts))
        rest = [parts[2], identifier(parts[3])] if head == "decks" else parts[2:]
        fields[".".join(rest)] = f"{origin} {'.'.join(parts)}" if origin == "--set" else ": ".join(filter(None, (origin, ".".join(parts))))
    return fields


def _with_namesakes(changed: Mapping[str, str], crew: Crew) -> dict[str, str]:
    """``changed`` and the members that name what a change names too: one stands twice because of the change."""
    every = dict(changed)
    for field in changed:
        _, number, word = field.split(".")
        name = getattr(crew.members[int(number)], word)
        same = [f"members.{n}.{word}" for n, member in enumerate(crew.members) if getattr(member, word) == name]
        every |= {other: changed[field] for other in same if other not in changed}
    return every


def _blamed(fault: Fault, changed: Mapping[str, str]) -> Fault | None:
    """The fault, blamed on the changes that it comes from; None when it lies in the file alone.

    A fault of the whole (``cards``, ``members``) can come from any of the changes, so it names them all.
    """
    field = fault.field or ""
    if field in changed:
        return dataclasses.replace(fault, field=changed[field])
    if changed and field in ("cards", "members"):
        return dataclasses.replace(fault, field=", ".join(dict.fromkeys(changed.values())))
    return None


def _inline(data: Mapping, model: type[BaseModel]) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BadInput(*explained(error, model, data)) from None


def _id_of(name: str, entries: Mapping[str, Any]) -> str:
    """The id that a name means, or the name itself, which the legality check then refuses with a suggestion."""
    return match(name, {key: entry.name for key, entry in entries.items()}, identifier) or name


def read_deck(name: Named | Mapping | Deck, bundle: Bundle, side: str | int | None = None, check: bool = True) -> Deck:
    """A deck with its titles turned into ids, in the file's order; arguments and errors as in ``read_crew``.

    Files are TOML or plain text with lines such as ``7x Hack the Network``.
    """
    document, lines = None, {}
    if isinstance(name, Deck):
        deck = name
    elif isinstance(name, Mapping):
        deck = _inline(name, Deck)
    else:
        path, _ = resolve("deck", str(name))
        if path.suffix == ".toml":
            document = _toml("deck", path)
            deck = _validated(document, Deck)
            lines = {title: document.lines.line(("cards", title)) for title in deck.cards}
        else:
            deck, lines = _plain_deck(path)
            document = Document(path, {}, Lines({}))  # a plain text has no fields; its lines are known by title
    faults: list[Fault] = []
    deck, written = _with_ids(deck, bundle, faults)
    changed = {}
    if side is not None and (changed := _changed_fields(bundle, "decks", side)):
        deck = _with_ids(deck_changed(deck, bundle.side_changes, side), bundle, faults)[0]
    broken = legality.check_deck(deck, bundle.cardset, bundle.rules)
    faults += broken if check else [fault for fault in broken if fault.message.startswith("unknown ")]
    if not faults:
        return deck
    raise BadInput(*(_blamed(f, changed) or (_in_deck(f, document, lines, written) if document else f) for f in faults))


def _in_deck(fault: Fault, document: Document, lines: Mapping[str, int | None], written: Mapping[str, str]) -> Fault:
    title = (fault.field or "").removeprefix("cards.")
    line = lines.get(str(fault.value)) if fault.message == _TITLE_TWICE else lines.get(written.get(title, title))
    if fault.field == "cards" and not document.data:
        line = min(filter(None, lines.values()), default=None)  # where the list of a plain text begins
    return document.located(dataclasses.replace(fault, line=line))


def _with_ids(deck: Deck, bundle: Bundle, faults: list[Fault]) -> tuple[Deck, dict[str, str]]:
    """The deck by ids, and what was written for each id; a title written in two ways is a fault."""
    cards: dict[str, int] = {}
    written: dict[str, str] = {}
    for title, copies in deck.cards.items():
        key = _id_of(title, bundle.cardset.cards)
        if key in cards:
            faults.append(Fault(_TITLE_TWICE, field=f"cards.{key}", value=title, allowed="each title once"))
        cards.setdefault(key, copies)
        written.setdefault(key, title)
    return deck.model_copy(update={"cards": cards}), written


def _plain_deck(path: Path) -> tuple[Deck, dict[str, int]]:
    cards: dict[str, int] = {}
    lines: dict[str, int] = {}
    faults = []
    for number, raw in enumerate(read_text(path).split("\n"), start=1):
        text = re.sub(r"(^|\s)#.*$", "", raw).strip()
        if not text:
            continue
        found = _DECK_LINE.match(text)
        if not found:
            faults.append(
                Fault("is not a line of a deck", str(path), number, value=text, allowed="copies and title, as in 7x Hack the Network")
            )
            continue
        written, title = found.groups()
        copies = int(written) if len(written) < 10 else 0
        if title in cards:
            faults.append(Fault(_TITLE_TWICE, str(path), number, value=title, allowed="each title once"))
        elif not 1 <= copies <= 60:
            faults.append(Fault(f"copies of {title!r} out of range", str(path), number, value=written[:20], allowed="1 to 60"))
        cards.setdefault(title, copies)
        lines.setdefault(title, number)
    if not cards and not faults:
        faults.append(Fault("lists no card", str(path), allowed="copies and title, as in 7x Hack the Network"))
    if faults:
        raise BadInput(*faults)
    return Deck(name=path.stem[:80], cards=cards), lines
