"""How many requests may be under way: the limit against a simulated server that can do so many at once."""

import asyncio

import pytest

from probsense.models.openai.client import START, Limit


class World:
    """A clock that goes on when somebody sleeps."""

    def __init__(self):
        self.now = 0.0

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        await asyncio.sleep(0)
        self.now += seconds


def limit(most, world=None):
    world = world or World()
    return Limit(most, clock=world.clock, sleep=world.sleep)


async def simulate(most, capacity, count):
    """Many workers at a server that can do so many at once; how many were under way at each start, and refusals."""
    ticks = World()
    found = limit(most, ticks)
    under_way, starts, refusals = 0, [], 0
    left = iter(range(count))

    async def work():
        nonlocal under_way, refusals
        for _ in left:
            async with found.slot() as started:
                under_way += 1
                starts.append(under_way)
                fits = under_way <= capacity
                for _ in range(10):
                    await asyncio.sleep(0)
                under_way -= 1
                ticks.now += 1
                if fits:
                    found.grow()
                else:
                    refusals += 1
                    found.halve(started)

    await asyncio.gather(*(work() for _ in range(300)))
    return starts, refusals


def test_it_finds_what_the_server_can_do():
    starts, refusals = asyncio.run(simulate(1000, 40, 6000))
    assert starts[:START] == [*range(1, START + 1)]
    most = [max(starts[i : i + 100]) for i in range(1000, 6000, 100)]
    assert max(most) == 41
    assert min(most) >= 16
    assert sum(most) / len(most) > 28
    assert refusals < 0.05 * len(starts)


@pytest.mark.parametrize("most", [1, 3, 8, 50])
def test_it_never_exceeds_the_most(most):
    starts, refusals = asyncio.run(simulate(most, 10**9, 1000))
    assert (max(starts), refusals) == (most, 0)


async def halved(size, times):
    """The limit after the server was busy for requests that began at some times, one after the other."""
    world = World()
    found = limit(64, world)
    found.size = size
    for started, now in times:
        world.now = now
        found.halve(started)
    async with found.slot():
        return found.size


def test_those_that_were_under_way_together_count_once_and_one_is_left():
    assert asyncio.run(halved(64.0, [(1.0, 5.0)] * 10)) == 32.0
    assert asyncio.run(halved(8.0, [(now, now) for now in range(1, 20)])) == 1.0


def test_the_longest_pause_holds_everything():
    async def main():
        found = limit(8)
        found.pause(30.0)
        found.pause(10.0)
        async with found.slot() as started:
            return started

    assert asyncio.run(main()) == 30.0
