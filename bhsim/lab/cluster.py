"""Blocks on the workers of a Dask cluster: one that is running, or processes started here (docs/cluster.md).

A worker gets a contest as the JSON text of its resolved data, never as a path or a pickled model, and keeps the last few ready to play.
Dask runs the tasks of a lost worker again; a task is a pure function of its arguments, so how often it ran cannot be seen.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, engine_label, find
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Played, Recent, play_block

BLOCK_KEYS = 2_048  # keys per task: some seconds, against some milliseconds that Dask takes for a task
CONNECT_SECONDS = 10  # until an address counts as wrong
JOIN_SECONDS = 30  # until a cluster counts as empty
LOOK_SECONDS = 5.0  # between two looks at how many workers there are
CLOSE_SECONDS = 10
ADDRESS = "tcp://HOST:PORT or tls://HOST:PORT"
DEATHS_ALLOWED = 20  # workers that may die under one task before the task is to blame
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"  # Ctrl-C reaches every process of a terminal; this one answers it
KEPT_CONTESTS = 16  # ready to play on a worker: a window of blocks touches a few at a time


def check_installed() -> None:
    """BadInput when Dask's packages are missing."""
    if find_spec("distributed") is None or find_spec("dask") is None:
        raise BadInput(Fault('Dask is not installed: in a clone of bhsim, pip install ".[cluster]"', field="executor"))


def open_cluster(game: Game, processes: int, scheduler: str | None = None) -> Cluster:
    """A cluster to play on. processes: how many are started here, one thread each, if there is no address of a scheduler.

    BadInput when the scheduler does not answer, has no workers, or has workers with another version of bhsim.
    """
    check_installed()
    from distributed import Client, LocalCluster

    local = None
    if scheduler is not None:
        _check_address(scheduler)
    else:
        local = LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # Dask serves its health page in any case: at least not to others, nor at a fixed port
            preload=DEAF,
            memory_limit=None,  # a block needs a few kilobytes: there is nothing to watch
            silence_logs=logging.CRITICAL,  # a worker that is lost is started again; whatever matters is raised here
            scheduler_kwargs={"allowed_failures": DEATHS_ALLOWED, "dashboard": False},
        )
    try:
        client = Client(local or scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        if local is not None:
            local.close()
        raise _trouble(f"no Dask scheduler answers ({_first_line(error)})", scheduler, ADDRESS) from None
    cluster = Cluster(client, local, scheduler)
    try:
        cluster.check(game)
    except BaseException:
        cluster.close()
        raise
    return cluster


class Cluster:
    """The executor (``executors.Executor``) over a Dask client. Errors of the cluster itself are BadInput that names the scheduler."""

    block = BLOCK_KEYS

    def __init__(self, client: Any, local: Any, scheduler: str | None) -> None:
        self.client, self.local, self.scheduler = client, local, scheduler
        self.remote = local is None
        self._texts = Recent()
        self._log = logging.getLogger("distributed.client")
        self._log_level = self._log.level
        self._log.setLevel(logging.CRITICAL)  # what it has to say about a lost scheduler is raised here
        self._count, self._looked = 1, -math.inf

    @property
    def workers(self) -> int:
        """Threads of all workers, as they come and go."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            with suppress(OSError, CancelledError, RuntimeError):  # a lost scheduler is told by what waits for a result
                self._count = max(1, sum(self.client.nthreads().values()))
            self._looked = time.monotonic()
        return self._count

    def check(self, game: Game) -> None:
        """BadInput unless there are workers, and they and the scheduler, which reads each task, have the bhsim of this process."""
        asked = game.name, type(game).__module__
        try:
            self.client.wait_for_workers(1, timeout=JOIN_SECONDS)
            told = [self._told_by_scheduler(*asked), *self.client.run(_about, *asked, on_error="return").values()]
        except TimeoutError:
            raise _trouble(f"the cluster has had no worker for {JOIN_SECONDS} s: start some first", self.scheduler) from None
        except (OSError, CancelledError) as error:
            raise _trouble(f"the cluster does not answer ({_first_line(error)})", self.scheduler) from None
        here = engine_label(game)
        others = [label if isinstance(label, str) else _first_line(label) for label in told if label != here]
        if others:
            who = "its scheduler" if told[0] != here else f"{len(others)} of its {len(told) - 1} workers"
            text = f"the cluster has another bhsim on {who} ({'; '.join(sorted(set(others)))})"
            raise _trouble(text, self.scheduler, f"{here}, as here")

    def _told_by_scheduler(self, name: str, module: str) -> str | Exception:
        try:
            return self.client.run_on_scheduler(_about, name, module)
        except ImportError as error:
            return error

    def submit(self, contest: Contest, root: int, first: int, keys: int, rows: bool) -> _Task:
        """See ``Executor``."""
        text = self._texts.get(contest, lambda: shipped(contest))
        try:
            future = self.client.submit(play_shipped, text, root, first, keys, rows, pure=False)
        except (OSError, RuntimeError, CancelledError) as error:
            raise self.lost(error) from None
        return _Task(self, future)

    def lost(self, error: BaseException) -> BadInput:
        """What is told when the connection is gone."""
        return _trouble(f"the connection to the Dask scheduler is lost ({getattr(error, 'reason', _first_line(error))})", self.scheduler)

    def close(self) -> None:
        """Gives up what has not begun and leaves the cluster; one that was started here ends."""
        with suppress(OSError, TimeoutError, RuntimeError):
            self.client.close(timeout=CLOSE_SECONDS)
        if self.local is not None:
            with suppress(OSError, TimeoutError):
                self.local.close(timeout=CLOSE_SECONDS)
        self._log.setLevel(self._log_level)


class _Task:
    """A block that was handed to the cluster."""

    def __init__(self, cluster: Cluster, future: Any) -> None:
        self._cluster, self._future = cluster, future

    def result(self) -> Played:
        from distributed import KilledWorker

        try:
            return self._future.result()
        except KilledWorker as error:
            text = f"each of {error.allowed_failures + 1} workers died while it played the same block; their logs tell why"
            raise _trouble(text, self._cluster.scheduler) from None
        except CancelledError as error:
            raise self._cluster.lost(error) from None

    def cancel(self) -> None:
        with suppress(OSError, RuntimeError, CancelledError):
            self._future.cancel()


def _check_address(scheduler: str) -> None:
    """BadInput for what can be no address: a client that was made from it could not even be closed."""
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(scheduler)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise _trouble(f"no address ({_first_line(error)})", scheduler, ADDRESS) from None


def _trouble(text: str, scheduler: str | None, allowed: str | None = None) -> BadInput:
    return BadInput(
        Fault(
            text, field="executor" if scheduler is None else "scheduler", value="dask" if scheduler is None else scheduler, allowed=allowed
        )
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def shipped(contest: Contest) -> str:
    """A contest for a worker: which game, by which module, in which version, and its resolved data, as JSON."""
    game = contest.game
    data = game.resolved(contest.bundle, contest.sides)
    return json.dumps({"game": game.name, "module": type(game).__module__, "engine": engine_label(game), "data": data})


_preparing = threading.Lock()  # a worker with several threads restores a contest, and compiles the kernels, once


def play_shipped(text: str, root: int, first: int, keys: int, rows: bool) -> Played:
    """Runs on a worker: a block of the contest of this ``shipped`` text. BadInput when the worker's bhsim is another one."""
    with _preparing:
        prepared = _prepared(text)
    return play_block(*prepared, root, first, keys, rows)


@lru_cache(maxsize=KEPT_CONTESTS)
def _prepared(text: str) -> tuple[Game, Any, Any, int]:
    """Game, tables, packed sides and seatings, with the kernels compiled."""
    told = json.loads(text)
    game = _game(told["game"], told["module"])
    if engine_label(game) != told["engine"]:
        raise BadInput(Fault("a worker of the cluster has another bhsim", field="engine", value=engine_label(game), allowed=told["engine"]))
    if not game.is_warm():
        game.warmup()
    bundle, sides = game.restored(told["data"])
    tables = game.compile(bundle)
    return game, tables, game.pack(tables, bundle, sides), game.seatings(len(sides))


def _game(name: str, module: str) -> Game:
    import_module(module)  # a game that registers itself does so here
    return find(name)


def _about(name: str, module: str) -> str:
    """Runs on the scheduler and on every worker before the first block."""
    return engine_label(_game(name, module))
