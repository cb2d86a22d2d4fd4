"""Does a piece of work for many things in several processes at once.

It imports nothing that counts with threads: a new process imports it before :func:`_begin` says how many there are.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from typing import Final, TypeVar

LEAST: Final = 4
"""Things for which it is worth while to start a process."""
THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
"""What says how many threads a process takes: here one, since there are as many processes as cores."""

T = TypeVar("T")


def cores() -> int:
    """Count the cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def side_by_side(
    work: Callable[[T], object], groups: Sequence[Sequence[T]], jobs: int, done: Callable[[T], object]
) -> None:
    """Work in several processes; ends when all is done, or when a process died.

    Parameters
    ----------
    work : callable
        A function of a module. What it returns or raises is not passed on: it leaves its results in files.
    groups : sequence of sequences
        What to work on. The first of a group computes what all of them need, so the others wait for it.
    jobs : int
        How many processes there may be.
    done : callable
        Called in this process with each thing that a process came to the end of, whether it failed or not.
    """
    groups = [group for group in groups if group]
    jobs = min(jobs, sum(map(len, groups)) // LEAST)
    if jobs < 2:
        return
    others = {*active_children()}
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin)
    try:
        asked = {pool.submit(work, first): (first, rest) for first, *rest in groups}
        while asked:
            ended, _ = wait(asked, return_when=FIRST_COMPLETED)
            for future in ended:
                one, rest = asked.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    return
                asked |= {pool.submit(work, other): (other, []) for other in rest}
                done(one)
    except BrokenProcessPool:
        return
    except BaseException:
        for process in {*active_children()} - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a process, before it imports what counts with many threads."""
    for name in THREADS:
        os.environ.setdefault(name, "1")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends all processes, and only the first one says so.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
