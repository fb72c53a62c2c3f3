"""Runs on a Dask cluster: the same bytes as on threads, whatever happens to the workers, and one clear message when it cannot go on."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from coinflip import GAME, CoinFlip
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames, register
from bhsim.lab import cluster as cluster_module
from bhsim.lab import executors, runs
from bhsim.lab.contest import build
from bhsim.lab.executors import Recent, Threads, open_executor

NO_ADDRESS = "tcp://127.0.0.1:1"  # nothing listens there


class Deadly(CoinFlip):
    """Ends whatever process plays it."""

    name = "deadly"

    def play_block(self, *args):
        os._exit(1)


DEADLY = Deadly()
register(DEADLY)


def coins(games=2000, game=GAME):
    return build(game, Options(), [SideNames("60"), SideNames("40")], games)


def bytes_of(contests, executor, block=None, progress=None):
    """Everything that comes out of a run: names, tallies, outcomes and rows of its units, in order."""
    units = runs.units_of(contests)
    played = runs.play_units(units, 7, None, block, progress, rows=True, executor=executor)
    return [(r.unit.name, r.tally.tobytes(), r.outcomes.tobytes(), r.rows.tobytes()) for r in played]


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    with open_executor("dask", GAME, 2) as executor:
        assert executor.workers == 2
        yield executor


@pytest.fixture
def lone_scheduler():
    """A cluster without processes of its own: a scheduler that others may address, and how to give it a worker."""
    from distributed import LocalCluster

    local = LocalCluster(
        n_workers=0, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    )
    yield local
    local.close()


class Mayhem:
    """Kills a worker that is at work, once, as soon as the first block is in."""

    def __init__(self, executor):
        self.client, self.killed = executor.client, None

    def __call__(self, games):
        if self.killed is None:
            pids = self.client.run(os.getpid)
            busy = [address for address, tasks in self.client.processing().items() if tasks]
            self.killed = pids[busy[0]]
            os.kill(self.killed, signal.SIGKILL)


def test_same_bytes_as_threads_though_a_worker_is_killed(cluster, monkeypatch):
    monkeypatch.setattr(runs, "UNIT_KEYS", 20_000)
    contests = [coins(100_000), coins(30_000)]
    local = [bytes_of(contests, Threads(n)) for n in (1, 2)]
    mayhem = Mayhem(cluster)
    spread = bytes_of(contests, cluster, block=5_000, progress=mayhem)
    assert mayhem.killed and mayhem.killed not in cluster.client.run(os.getpid).values()
    assert local[0] == local[1] == spread == bytes_of(contests, cluster)
    assert [name for name, *_ in spread] == ["c00000-u00000", "c00000-u00001", "c00000-u00002", "c00000-u00000"]


def test_skirmish_from_its_shipped_data(cluster):
    """The worker builds its tables from JSON: a changed number arrives there."""
    from bhsim.games.skirmish.game import GAME as skirmish

    sides = [SideNames("purple", None, "racer"), SideNames("green")]
    contests = [build(skirmish, Options(sets=sets), sides, 300) for sets in ((), ("runners.gh0st.attack=4",))]
    local = bytes_of(contests, None)
    assert local == bytes_of(contests, cluster, block=60)
    assert local[0][2] != local[1][2]


def test_a_stop_leaves_the_cluster_usable(cluster):
    def stop(games):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bytes_of([coins(200_000)], cluster, block=1_000, progress=stop)
    assert bytes_of([coins(400)], cluster) == bytes_of([coins(400)], None)


def test_a_scheduler_by_address(cluster):
    address = cluster.local.scheduler_address
    with open_executor("dask", GAME, scheduler=address) as other:
        assert other.remote and not cluster.remote
        assert bytes_of([coins()], other) == bytes_of([coins()], None)
    assert bytes_of([coins()], cluster), "leaving someone's cluster does not end it"


def test_another_version_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(GAME, "behaviour_version", 2, raising=False)  # here, and not on the workers
    with pytest.raises(BadInput, match=r"another bhsim on its scheduler|another bhsim on 2 of its 2 workers \(.*\+1\).*allowed: .*\+2"):
        cluster.check(GAME)
    with pytest.raises(BadInput, match=r"a worker of the cluster has another bhsim, got '.*\+1' \(allowed: .*\+2\)"):
        bytes_of([coins()], cluster)  # a worker that came later is found out by its first block


def test_no_workers_and_a_lost_scheduler(lone_scheduler, monkeypatch):
    monkeypatch.setattr(cluster_module, "JOIN_SECONDS", 0.2)
    address = lone_scheduler.scheduler_address
    with (
        pytest.raises(BadInput, match=r"scheduler: the cluster has had no worker for 0.2 s"),
        open_executor("dask", GAME, scheduler=address),
    ):
        pass
    monkeypatch.setattr(cluster_module, "JOIN_SECONDS", 20)
    lone_scheduler.scale(1)
    with open_executor("dask", GAME, scheduler=address) as executor, pytest.raises(BadInput, match=f"Dask scheduler is lost .*{address}"):
        bytes_of([coins(400_000)], executor, block=2_000, progress=lambda games: lone_scheduler.close())


def test_a_block_that_kills_every_worker(monkeypatch):
    monkeypatch.setattr(cluster_module, "DEATHS_ALLOWED", 0)
    with (
        open_executor("dask", DEADLY, 1) as executor,
        pytest.raises(BadInput, match="each of 1 workers died while it played the same block"),
    ):
        bytes_of([coins(10, DEADLY)], executor)


@pytest.mark.parametrize("address", ["nonsense", "", "abc://host:1", "tcp://host:port", NO_ADDRESS])
def test_bad_addresses(address, monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.3)
    with pytest.raises(BadInput, match="scheduler: no ") as caught, open_executor("dask", GAME, scheduler=address):
        pass
    assert caught.value.faults[0].value == address


@pytest.mark.parametrize("package", ["dask", "distributed"])
def test_without_the_extra(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(app, ["play", "60", "40", "--game", "coinflip", "--executor", "dask"])
    assert result.exit_code == 2 and 'pip install ".[cluster]"' in result.stderr


def test_a_scheduler_needs_dask_and_a_kind_must_exist(tmp_path):
    kept = tmp_path / "run"
    words = ["play", "60", "40", "--game", "coinflip", "--scheduler", "tcp://host:1", "--out", str(kept)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and "--scheduler: goes with the executor dask" in result.stderr and not kept.exists()
    with pytest.raises(BadInput, match=r"no such executor, got 'cloud' \(allowed: local, dask\)"), open_executor("cloud", GAME):
        pass


def test_a_sweep_by_command(cluster, tmp_path):
    """The whole run folder, file by file."""
    spec = tmp_path / "spec.toml"
    spec.write_text('name = "s"\ngame = "coinflip"\ngames = 3000\ncrew = "60"\nopponents = ["40", "50"]\n')
    folders = {"local": ["--threads", "2"], "dask": ["--executor", "dask", "--scheduler", cluster.local.scheduler_address]}
    for name, options in folders.items():
        result = CliRunner().invoke(app, ["sweep", str(spec), "--out", str(tmp_path / name), *options])
        assert result.exit_code == 0, result.output
    local, spread = (files_of(tmp_path / name) for name in folders)
    assert local == spread and "units/c00001-u00000.parquet" in local


def files_of(folder: Path) -> dict[str, object]:
    """Contents by name, the manifest without its times."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    manifest = json.loads(found.pop("run.json"))
    assert manifest.pop("times")["threads"] == 2
    return {**found, "run.json": list(manifest.items())}


def test_ctrl_c_reaches_all_processes_and_one_of_them_answers(tmp_path):
    """A terminal interrupts workers as well; what was finished stays, and nobody prints a traceback."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(
        'name = "s"\ngame = "coinflip"\ngames = 20000\ncrew = "60"\nopponents = [' + ", ".join(f'"{n}"' for n in range(100)) + "]\n"
    )
    words = ["sweep", str(spec), "--out", str(out), "--executor", "dask", "--threads", "2"]
    program = f"import coinflip, sys\nfrom bhsim.cli.app import app\nif __name__ == '__main__': sys.exit(app({words!r}))\n"
    script = tmp_path / "program.py"
    script.write_text(program)
    here = Path(__file__).parent
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    process = subprocess.Popen([sys.executable, str(script)], env=env, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while len(list(out.glob("units/*"))) < 3 and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "Traceback" not in told, told
    assert "contests are finished and kept" in told
    assert json.loads((out / "run.json").read_text())["status"] == "stopped"


class Slow:
    """An executor that begins nothing: it shows what is asked of one."""

    block, remote, workers = 100, False, 3

    def __init__(self):
        self.open, self.most, self.cancelled = 0, 0, 0

    def submit(self, contest, root, first, keys, rows):
        self.open += 1
        self.most = max(self.most, self.open)
        return SlowTask(self, (contest.game, contest.bundle, contest.game.pack(None, None, contest.sides), 2, root, first, keys, rows))


class SlowTask:
    def __init__(self, executor, block):
        self.executor, self.block = executor, block

    def result(self):
        self.executor.open -= 1
        return executors.play_block(*self.block)

    def cancel(self):
        self.executor.cancelled += 1


def test_blocks_in_flight_are_bounded_and_given_up_on_close(monkeypatch):
    monkeypatch.setattr(runs, "UNIT_KEYS", 1_000)
    slow = Slow()
    assert bytes_of([coins(5_000)], slow) == bytes_of([coins(5_000)], Threads(1))
    assert (slow.most, slow.cancelled) == (6, 0)
    results = runs.play_units(runs.units_of([coins(5_000)] * 3), 7, executor=slow)
    next(results)
    results.close()
    assert slow.cancelled == slow.open == 5


def test_units_are_cut_evenly(monkeypatch):
    monkeypatch.setattr(runs, "UNIT_KEYS", 1_000)
    asked = []
    slow = Slow()
    slow.submit = lambda contest, root, first, keys, rows: (
        asked.append((first, keys)) or Slow.submit(slow, contest, root, first, keys, rows)
    )
    list(runs.play_units(runs.units_of([coins(2_400)]), 7, block=300, executor=slow))
    assert asked == [(0, 250), (250, 250), (500, 250), (750, 250), (1000, 200)]


def test_recent_keeps_a_few():
    recent, made = Recent(2), []
    sources = [object(), object(), object()]
    for source in (*sources[:2], sources[0], sources[2], sources[0]):
        recent.get(source, lambda s=source: made.append(s))
    assert made == [*sources, sources[0]], "the third pushed the first out"


def test_one_process_at_a_time_compiles(tmp_path, monkeypatch):
    from bhsim.games.skirmish.engine.jit import CACHE

    monkeypatch.setattr(CACHE, "folder", lambda: tmp_path)
    entered = threading.Event()

    def other():
        with CACHE.alone():
            entered.set()

    waiting = threading.Thread(target=other)
    with CACHE.alone():
        waiting.start()
        assert not entered.wait(0.2)
    assert entered.wait(10)
    waiting.join()
