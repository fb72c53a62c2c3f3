"""A spec with faults of every kind: all are listed at once, each at its line, and none that is not there."""

import coinflip  # noqa: F401 (registers its game)
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.inputs.document import read_toml
from bhsim.lab.factors import check_sensitivity
from bhsim.lab.sweep import check_spec, spec_in

SPEC = """\
name = "bad"
games = 0
crew = "purpel"
bot = "fixxer"
opponents = ["gren", "amber"]
board = "nowhere"
design = "latin"
[limit]
cell = [45, 55]
[[axes]]
path = "rules.points_to_win"
range = [6, 4]
[[axes]]
path = "runners.gh0st.attak"
range = [1, 4]
[[axes]]
bot = ["racer", "razer"]
side = "b"
"""


def faults_of(tmp_path, text, check=check_spec):
    (tmp_path / "spec.toml").write_text(text)
    with pytest.raises(BadInput) as refused:
        check(tmp_path / "spec.toml")
    return [(f.line, f.message.split(";")[0].split(" (")[0]) for f in refused.value.faults]


def test_fields_names_files_and_paths_are_refused_together(tmp_path):
    expected = [
        (2, "is out of range"), (3, "unknown crew 'purpel'"), (4, "unknown bot 'fixxer'"), (5, "unknown crew 'gren'"),
        (6, "unknown board 'nowhere'"), (8, "unknown key"), (12, "6 to 4 is none"), (14, "unknown path"),
        (17, "unknown bot 'razer'"), (None, "is missing"),
    ]  # fmt: skip
    found = faults_of(tmp_path, SPEC)
    assert sorted(found, key=lambda one: one[0] or 99) == expected
    assert faults_of(tmp_path, SPEC, lambda path: spec_in(read_toml(path))) == found
    refused = CliRunner().invoke(app, ["sweep", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "run")])
    assert (refused.exit_code, refused.stderr.count("error: "), (tmp_path / "run").exists()) == (2, len(found), False)


def test_paths_hide_no_names_where_the_fields_are_right(tmp_path):
    text = 'name = "s"\ncrew = "purpel"\nopponents = ["green"]\nboard = "nowhere"\n[[axes]]\npath = "rules.point"\nvalues = [1]\n'
    assert sorted(faults_of(tmp_path, text)) == [(2, "unknown crew 'purpel'"), (4, "unknown board 'nowhere'"), (7, "unknown path")]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # what is left out leaves no fault behind: base, step, number of points, opponents
        ('crew = "60"\nopponents = ["40"]\nbase = { edge = 1 }\n[[axes]]\npath = "edge"\nvalues = [1]\nside = "a"', [(9, "only for")]),
        ('crew = "60"\nopponents = ["40"]\ndesign = "gird"\n[[axes]]\npath = "edge"\nrange = [1, 2]\nstep = 1', [(5, "unknown word")]),
        ('crew = "60"\nopponents = ["40"]\ndesign = "grid"\npoints = 3\n[[axes]]\npath = "edge"\nvalues = [1, 2]', [(6, "only with a")]),
        ('crew = "60"\nopponents = []\n', [(4, "has 0 entries")]),
        ('crew = "60"\nopponents = 7', [(4, "must be a list")]),
        ('crew = "60"\nopponents = ["40"]\naxes = 3', [(5, "must be a list")]),
    ],
)
def test_what_is_left_out_leaves_no_fault_behind(tmp_path, spec, expected):
    found = faults_of(tmp_path, f'name = "coins"\ngame = "coinflip"\n{spec}\n')
    assert [line for line, _ in found] == [line for line, _ in expected]
    assert all(text.startswith(start) for (_, text), (_, start) in zip(found, expected, strict=True)), found


def test_a_sensitivity_spec_tells_names_and_paths_together(tmp_path):
    text = 'name = "s"\ncrew = "purpel"\nopponents = ["green"]\n[[factors]]\npath = "rules.points"\nlow = 4\nhigh = 6\n'
    found = faults_of(tmp_path, text, check_sensitivity)
    assert [message.split(": ")[-1] for _, message in found] == ["unknown crew 'purpel'", "unknown path"]
    assert found[1][0] == 5
