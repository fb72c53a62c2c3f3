"""The files of a new card project (``bhsim init``), as texts by relative path."""

from __future__ import annotations

from bhsim import __version__
from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import files
from bhsim.games.skirmish.model import Crew, Deck
from bhsim.games.skirmish.toml_out import cardset_toml, crew_toml, deck_toml
from bhsim.inputs.models import identifier

CREWS = ("purple", "green")
DECK = "starter"
LONGEST = 72  # letters of a name, so that the names made from it stay within the 80 of a file


def project_files(name: str, cardset: str) -> dict[str, str]:
    """Relative path -> text of a project whose card set, called ``name``, starts as a copy of ``cardset``.

    Crews and deck are copies of the starter crews and deck, under names of their own so that they hide nothing.
    Raises ``BadInput`` when the name is too long, gives no id, or the starter crews do not fit the card set.
    """
    if len(name) > LONGEST or not name.isprintable():
        raise BadInput(Fault("--name is too long, or has characters that cannot be printed", allowed=f"1 to {LONGEST} letters"))
    key = identifier(name)
    if not key:
        raise BadInput(Fault("--name needs a letter or digit a-z, 0-9", value=name))
    bundle = files.load_bundle(cardset)
    pool = bundle.cardset.model_copy(update={"name": name})
    crews = {f"{key}_{crew}": _own(files.read_crew(crew, bundle), key, pool) for crew in CREWS}
    deck = files.read_deck(DECK, bundle)
    a, b = crews
    return {
        f"decks/{key}.toml": cardset_toml(pool, _CARDS.format(key=key), ["cards"], [f"../crews/{key}_pool.toml"]),
        f"crews/{key}_pool.toml": cardset_toml(pool, _POOL.format(key=key), ["runners", "rigs"]),
        **{f"crews/{crew}.toml": crew_toml(value) for crew, value in crews.items()},
        f"decks/{key}_deck.toml": deck_toml(Deck(name=f"{name} deck", cards=deck.cards, house_values=deck.house_values)),
        "variants/example.toml": _variant(bundle),
        "Makefile": _MAKEFILE.format(key=key, a=a, b=b),
        ".github/workflows/balance.yml": _WORKFLOW.format(version=__version__),
        ".gitignore": "reports/*\n!reports/baseline/\n",
        "README.md": _README.format(name=name, key=key, a=a, b=b),
    }


def _own(crew: Crew, key: str, pool) -> Crew:
    """The crew with the project's deck, written with printed names."""
    members = [{"runner": pool.runners[m.runner].name, "rig": pool.rigs[m.rig].name} for m in crew.members]
    return Crew.model_validate({**crew.model_dump(), "members": members, "deck": f"{key}_deck"})


def _variant(bundle: files.Bundle) -> str:
    runner, entry = next(iter(bundle.cardset.runners.items()))
    return (
        "# A variant: values to try without touching the card set. bhsim cards paths lists every path.\n"
        f'name = "{runner} attacks with one more card"\n\n[set]\n"runners.{runner}.attack" = {entry.attack + 1}\n'
    )


_CARDS = """The card set "{key}": cards. Runners and rigs stand in crews/{key}_pool.toml.
Set house_values to false when the numbers are your own."""
_POOL = """Runners and rigs of the card set "{key}" (decks/{key}.toml includes this file)."""

_MAKEFILE = """# The commands of this card project.
SET = --cardset {key}
CREWS = {a} {b}

.PHONY: validate play baseline check

validate:
\tbhsim validate decks/*.toml crews/*.toml variants/*.toml

play:
\tbhsim play $(CREWS) $(SET)

# Plays the match-up and keeps the whole run, to compare later versions of the cards with. Commit reports/baseline.
baseline:
\tbhsim baseline $(CREWS) $(SET) --out reports/baseline --force

# Fails when the files as they are now move the match-up away from the baseline by more than 2 points, or when 100,000 games do not tell
# (--undecided pass lets that through).
check:
\tbhsim check reports/baseline --out reports/check --force
"""

_WORKFLOW = """name: balance
on: [push, pull_request]
env:
  # What pip installs: the address or the path of your copy of bhsim {version}, as "git+https://.../bhsim.git" or a wheel's.
  # Not its name alone: in the public index of packages that name is another program's.
  BHSIM: ""
jobs:
  balance:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: test -n "$BHSIM" || {{ echo "BHSIM in this file has to say where bhsim {version} comes from"; exit 1; }}; pip install "$BHSIM"
      - run: make validate
      # The first commit of a project has no baseline: `make baseline` makes it.
      - run: test ! -d reports/baseline || make check
      - run: cat reports/check/check.md >> "$GITHUB_STEP_SUMMARY"
        if: always() && hashFiles('reports/check/check.md') != ''
"""

_README = """# {name}

A card project for bhsim.

| where | what |
|---|---|
| decks/{key}.toml | the cards; includes the runners and rigs |
| crews/{key}_pool.toml | the runners and rigs |
| crews/{a}.toml, crews/{b}.toml | two crews to compare |
| decks/{key}_deck.toml | the deck that both use |
| variants/example.toml | values to try without changing the set |
| reports/baseline | the stored run of the match-up, once `make baseline` has made it; `bhsim report reports/baseline` draws it |
| .github/workflows/balance.yml | fails a push that moves the match-up away from the baseline |

```
make validate     # every fault of every file, with its line
make play         # the two crews against each other
make baseline     # store that run with all its data; commit it
make check        # does the present state of the files move it by more than 2 points?
bhsim play {a} {b} --cardset {key} --variant variants/example.toml
```
"""
