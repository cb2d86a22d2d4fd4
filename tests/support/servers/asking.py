"""Models and clients for tests: quick ones, for which a pause takes a hundredth of its time."""

import asyncio
import time

from probsense.models.openai.client import Client
from probsense.models.openai.model import OpenAIModel
from probsense.models.openai.requests import Abilities, Manner
from probsense.models.prompts.formats import CHAT, PLAIN

FASTER = 100
CHAT_20 = Abilities(route="chat", top_logprobs=5, many=8, seed=True)
ECHO = Abilities(route="completions", echo=True, top_logprobs=5, many=8, seed=True)


async def nap(seconds):
    """Sleep, but not for long."""
    await asyncio.sleep(seconds / FASTER)


def quick(url, **more):
    """A client whose clock goes faster."""
    return Client(url, **{"timeout": 5.0, "sleep": nap, "clock": lambda: time.monotonic() * FASTER, **more})


def manner(can=CHAT_20, **more):
    """How the toy model is asked."""
    return Manner("toy", can, **{"format": CHAT if can.route == "chat" else PLAIN, **more})


def model(url, can=CHAT_20, *, key=None, **more):
    """A model at a server that is not examined."""
    return OpenAIModel("openai:toy", quick(url, key=key, **more), manner(can))
