"""Where results are written: nothing is overwritten unasked, and nothing but regular files is ever replaced."""

import os

import coinflip  # noqa: F401 (registers its game)
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.inputs import output


def play(*words):
    return CliRunner().invoke(app, ["play", "60", "40", "--game", "coinflip", "--games", "20", *map(str, words)])


def test_rows_overwrite_only_with_force(tmp_path):
    rows = tmp_path / "rows.parquet"
    rows.write_text("mine")
    done = play("--rows", rows)
    assert (done.exit_code, rows.read_text()) == (2, "mine")
    assert "--force" in done.stderr
    assert play("--rows", rows, "--force").exit_code == 0
    assert rows.read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_pipe_is_never_replaced(tmp_path, force):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = play("--rows", pipe, *force)
    assert done.exit_code == 2
    assert "device, pipe or socket" in done.stderr
    assert pipe.is_fifo()
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        with pytest.raises(BadInput, match="device, pipe or socket"):
            output.write_text(path, "x", force=True)
        with pytest.raises(BadInput, match="device, pipe or socket"):
            output.replace(path, b"x")
    assert pipe.is_fifo()
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(output.PART)] == []


def test_a_device_is_never_replaced(tmp_path, monkeypatch):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("devices can be made by root alone")
    for words in (["--rows", device], ["--rows", device, "--force"]):
        assert play(*words).exit_code == 2
    assert device.is_char_device()


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.txt", tmp_path / "link.txt"
    link.symlink_to(real)
    with pytest.raises(BadInput, match="exists already"):
        output.write_text(link, "one")
    output.write_text(link, "one", force=True)
    real.chmod(0o640)
    output.write_text(link, "two", force=True)
    assert link.is_symlink()
    assert real.read_text() == "two"
    assert real.stat().st_mode & 0o777 == 0o640
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(BadInput, match="circle"):
        output.write_text(loop, "x", force=True)


def test_folders_and_missing_places_are_refused(tmp_path):
    with pytest.raises(BadInput, match="there is a folder"):
        output.write_text(tmp_path, "x", force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="cannot be written"):
        output.write_text(tmp_path / "file" / "below", "x")
    assert play("--rows", tmp_path / "no" / "rows").exit_code == 2


def test_two_outputs_never_share_a_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for pair in ([tmp_path / "a", tmp_path / "a"], [tmp_path / "a", tmp_path / "x" / ".." / "a"], [tmp_path / "a", tmp_path / "link"]):
        with pytest.raises(BadInput, match="two outputs"):
            output.refuse_existing(pair, force=True)
    done = CliRunner().invoke(
        app, ["replay", "purple", "green", "--events", str(tmp_path / "f"), "--position", str(tmp_path / "f"), "--at", "1"]
    )
    assert done.exit_code == 2
    assert "two outputs" in done.stderr
    assert not (tmp_path / "f").exists()


@pytest.mark.parametrize("inside", ["same", "same/run.json", "same/units/x"])
def test_rows_stay_out_of_the_run_folder(tmp_path, inside):
    out = tmp_path / "same"
    assert play("--rows", tmp_path / inside, "--out", out).exit_code == 2
    assert not out.exists()
    assert play("--out", out).exit_code == 0
    before = (out / "run.json").read_bytes()
    assert play("--rows", tmp_path / inside, "--out", out, "--force").exit_code == 2
    assert (out / "run.json").read_bytes() == before


def test_printed_commands_can_be_pasted(tmp_path):
    out = tmp_path / "my run"
    assert f"bhsim report '{out}'" in play("--out", out).stderr
