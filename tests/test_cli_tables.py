"""Tables on a narrow page, and a word on stderr where nothing moves for a while."""

import re
import time
from pathlib import Path

import pytest

from bhsim.cli import running
from bhsim.cli.tables import PIPE_WIDTH, print_table
from bhsim.errors import BadInput
from bhsim.games.skirmish import files, places


def printed(capsys, head, row):
    print_table("", head, [row], [False] * len(head))
    return [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]


def test_headers_break_behind_dots_and_underscores(capsys):
    lines = printed(capsys, ["#", "runners.sally_shortstop.attack", "win rate"], ["0", "1", "50.00 %"])
    assert [re.split(r"\s{2,}", line.strip()) for line in lines[:2]] == [["runners.sally_"], ["#", "shortstop.attack", "win rate"]]


def test_short_cells_stay_whole_beside_long_ones(capsys):
    head = ["#", *(f"runners.number_{n}.attack" for n in range(4)), "opponent", "verdict", "verdict"]
    lines = printed(
        capsys, head, ["0", *"1234", "a crew with a name / a deck with a name / and a bot " * 2, "not ok: too high", "not ok: too low"]
    )
    assert max(map(len, lines)) <= PIPE_WIDTH
    assert any("not ok: too high" in line and "not ok: too low" in line for line in lines)


def test_a_table_that_cannot_fit_is_wrapped_all_the_same(capsys):
    lines = printed(capsys, [f"column_{n}" for n in range(30)], ["0123456789"] * 30)
    assert max(map(len, lines)) <= PIPE_WIDTH


@pytest.mark.parametrize(("seconds", "said"), [(0.0, ""), (0.3, "drawing ...\n")])
def test_what_takes_long_is_announced(capsys, monkeypatch, seconds, said):
    monkeypatch.setattr(running, "PATIENCE", 0.1)
    with running.slowly("drawing ..."):
        time.sleep(seconds)
    time.sleep(0.15)
    assert capsys.readouterr().err == said


def test_an_unknown_name_where_there_are_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"unknown variant file 'nope' \(allowed: a path; no variant file is known by name\)"):
        places.resolve("variant", "nope")


def test_places_of_faults_take_no_detours(tmp_path):
    for name in ("decks", "crews"):
        (tmp_path / name).mkdir()
    (tmp_path / "crews" / "r.toml").write_text("[runners.x]\nname = 3\n")
    (tmp_path / "decks" / "set.toml").write_text('name = "s"\ninclude = ["../crews/r.toml"]\n')
    with pytest.raises(BadInput) as refused:
        files.read_cardset(tmp_path / "decks" / "set.toml")
    assert {f.file for f in refused.value.faults} == {str(tmp_path / "crews" / "r.toml")}
    (tmp_path / "elsewhere" / "in").mkdir(parents=True)
    (tmp_path / "elsewhere" / "crews").mkdir()
    (tmp_path / "elsewhere" / "crews" / "r.toml").write_text("[runners.y]\nname = 3\n")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "in")
    (tmp_path / "elsewhere" / "in" / "set.toml").write_text('name = "s"\ninclude = ["../crews/r.toml"]\n')
    with pytest.raises(BadInput) as refused:
        files.read_cardset(tmp_path / "link" / "set.toml")  # beside the link stands another file of that name
    assert tmp_path / "elsewhere" / "crews" / "r.toml" in {Path(f.file).resolve() for f in refused.value.faults}
