"""docs/bots.md against the bots that ship and the features of the heuristic bot."""

import re
from pathlib import Path

from bhsim.games.skirmish import checkfile, files, kinds
from bhsim.games.skirmish.features import FEATURES

PAGE = (Path(__file__).parents[1] / "docs" / "bots.md").read_text(encoding="utf-8")
BOTS = ("random", "racer", "brawler", "weaver", "warden", "fixer")


def section(heading):
    """The text below a heading."""
    return re.split(r"^## ", PAGE.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]


def rows(text):
    """Table rows whose first cell is a code word, as lists of cells."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("| `")]


def test_every_weight_stands_there_with_default_and_meaning():
    shown = {name.strip("`"): (float(default), meaning) for name, default, meaning in rows(section("The weights"))}
    assert shown == {name: tuple(feature) for name, feature in FEATURES.items()}
    assert list(shown) == list(FEATURES)


def test_every_bot_is_described():
    shown = [row[0].strip("`") for row in rows(PAGE.split("\n## ")[0])]
    assert shown == list(BOTS)
    assert sorted(shown) == sorted(path.stem for path in files.resolve("bot", "fixer")[0].parent.glob("*.toml"))


def test_the_example_is_a_bot(tmp_path):
    (text,) = re.findall(r"^```toml\n(.*?)^```", section("A bot of your own"), flags=re.MULTILINE | re.DOTALL)
    path = tmp_path / "miser.toml"
    path.write_text(text, encoding="utf-8")
    assert kinds.kind_of_file(path) == "bot"
    checkfile.check_file(path, checkfile.kind_of_path(path), lambda: None)
    bot = files.read_bot(path)
    changed = {name for name, value in zip(FEATURES, bot.vector(), strict=False) if value != FEATURES[name].default}
    assert changed == set(bot.weights)  # each weight that the example names says something
