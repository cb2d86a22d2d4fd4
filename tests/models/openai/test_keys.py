"""A key that the server repeats: in any encoding and field, whole or in pieces, it gets nowhere."""

import base64
import json
import random
import re
from itertools import pairwise
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import ProbSenseError
from probsense.core.records import SampleRequest
from probsense.models.openai.client import run_sync
from probsense.models.openai.examination import examine
from probsense.models.openai.exchange import OpenAIBatch
from probsense.models.openai.keys import Key
from support.servers.asking import CHAT_20, manner, quick
from support.servers.hostile import chat_answer, response, serving

CANARY = "sk-proj/Canary+0123456789_abcdef"
HALF = len(CANARY) // 2

LETTERS = {
    "as it is": lambda c: c,
    "JSON": lambda c: f"\\u{ord(c):04x}",
    "JSON twice": lambda c: f"\\\\u{ord(c):04X}",
    "backslashes": lambda c: f"\\{c}" if c in "/+_" else c,
    "URL": lambda c: f"%{ord(c):02x}",
    "URL twice": lambda c: f"%25{ord(c):02X}",
    "HTML": lambda c: f"&#{ord(c)};",
    "Python": lambda c: f"\\x{ord(c):02x}",
}
WHOLE = {
    **{
        f"base64 behind {n}": lambda s, n=n: base64.b64encode(b"x" * n + s.encode()).decode()
        for n in range(4)
    },
    "base64 of the header": lambda s: base64.b64encode(f"Bearer {s}".encode()).decode(),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(f"{s}:".encode()).decode(),
    "base64 in a URL": lambda s: quote(base64.b64encode(s.encode()).decode(), safe=""),
    "URL": lambda s: quote(s, safe=""),
    "hex": lambda s: s.encode().hex(),
    **{name: lambda s, one=one: "".join(map(one, s)) for name, one in LETTERS.items()},
}


def shows(text):
    """Whether somebody who undoes the encodings finds the key, or a half of it: written unlike the code."""
    seen = [text]
    for _ in range(3):
        last = seen[-1]
        last = re.sub(r"\\+[ux](?:00)?([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), last)
        last = re.sub(r"&#(\d+);", lambda m: chr(int(m[1]) % 256), last)
        seen.append(unquote(last).replace("\\", ""))
    for word in {word for one in seen for word in re.findall(r"[A-Za-z0-9+/_-]{12,}", one)}:
        for skip in range(4):
            part = word[skip:].translate(str.maketrans("-_", "+/"))
            seen.append(base64.b64decode(part[: len(part) // 4 * 4]).decode("latin-1"))
        for part in re.findall(r"(?:[0-9a-fA-F]{2})+", word):
            seen.append(bytes.fromhex(part).decode("latin-1"))
    return any(half in one for one in seen for half in (CANARY[:HALF], CANARY[HALF:]))


@pytest.mark.parametrize("way", WHOLE)
def test_no_encoding_hides_it(way):
    text = f"He said: {WHOLE[way](CANARY)}, she said."
    assert shows(text)
    shown = Key(CANARY).hide(text)
    assert not shows(shown)
    assert "***" in shown
    assert shown.startswith("He said: ")
    assert shown.endswith(", she said.")


@given(st.lists(st.sampled_from([*LETTERS]), min_size=len(CANARY), max_size=len(CANARY)))
def test_encodings_may_mix(ways):
    text = "".join(LETTERS[way](c) for way, c in zip(ways, CANARY, strict=True))
    assert not shows(Key(CANARY).hide(f"He said {text}"))


@given(st.lists(st.integers(0, len(CANARY)), max_size=12))
def test_pieces_that_belong_together_are_found(cuts):
    ends = sorted({0, *cuts, len(CANARY)})
    pieces = [CANARY[a:b] for a, b in pairwise(ends)]
    hidden = Key(CANARY).hide(
        {
            "list": [*"a", *pieces, *"b"],
            "objects": [{"type": "text", "text": piece, "logprob": -1} for piece in pieces],
            "keys": [{piece: -0.1} for piece in pieces],
        }
    )
    assert "".join(hidden["list"]).replace("*", "") == "ab"
    assert "".join(one["text"] for one in hidden["objects"]).strip("*") == ""
    assert "".join(key for one in hidden["keys"] for key in one).strip("*") == ""


@given(st.integers(HALF, len(CANARY)), st.text("~ ", max_size=5))
def test_a_half_is_hidden_wherever_it_stands(cut, around):
    for part in (CANARY[:cut], CANARY[len(CANARY) - cut :]):
        assert Key(CANARY).hide({"a": [around + part + around]}) == {"a": [around + "***" + around]}


@given(st.dictionaries(st.text(max_size=9), st.lists(st.text(max_size=30))))
def test_what_lacks_it_stays_as_it_is(answer):
    assert Key(CANARY).hide(answer) is answer


def test_secrets_of_odd_characters():
    for secret in ("a%41b\\c&#65;d%2e\\\\x41", "%%%%%%%%%%%%", "\\" * 14, "aaaaaaaaaaaaaaaa"):
        text = f"<{secret}>"
        assert Key(secret).hide(text) == "<***>"
        assert secret not in Key(secret).hide(json.dumps(text))


def test_parts_of_words_that_serve_as_keys_stay():
    assert Key("no-key-required").hide("It is required; no-key.") == "It is required; no-key."
    assert Key("EMPTY").hide("an EMPTY room") == "an EMPTY room"


def repeat(answer, rng):
    """Put the key into an answer, in some way, and return its bytes."""
    way = rng.choice([*WHOLE])
    said = WHOLE[way](CANARY)
    cut = rng.randrange(len(CANARY))
    for choice in answer["choices"]:
        choice["message"]["content"] = rng.choice(
            [said, [{"type": "text", "text": CANARY[:cut]}, {"type": "text", "text": CANARY[cut:]}]]
        )
    answer |= {"system_fingerprint": said, said: said}
    if rng.random() < 0.5:
        answer |= {"model": f"toy-{CANARY[:HALF]}", "system_fingerprint": CANARY[HALF:]}
    raw = json.dumps(answer).replace("/", "\\/")
    return raw.replace("C", "\\u0043").encode() if rng.random() < 0.5 else raw.encode()


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_the_doctor_and_its_errors_do_not_show_it(status):
    rng = random.Random(status)

    def reply(path, head, body):
        said = WHOLE[rng.choice([*WHOLE])](CANARY)
        if status == 200 and "messages" in body:
            return response(repeat(chat_answer(body), rng))
        listed = {"data": [{"id": said}], "error": {"message": f"{'x' * rng.randrange(300)} {said}"}}
        return response(rng.choice([json.dumps(listed), f"<html>{said}"]).encode(), status)

    async def ask(url):
        async with quick(url, key=Key(CANARY), tries=1) as client:
            return await examine(client, "toy", None, {})

    with serving(reply=reply) as server:
        for _ in range(10):
            try:
                said = repr(run_sync(ask(server.url)))
            except ProbSenseError as error:
                said = f"{error!r} {error.__cause__!r} {error.__context__!r}"
            assert not shows(said)


def test_no_batch_file_brings_it_in():
    lines, request = OpenAIBatch(manner(CHAT_20), key=Key(CANARY)), SampleRequest("Say", n=1)
    (line,) = lines.ask("0" * 32, request)
    body = chat_answer(line["body"])
    body["choices"][0]["message"]["content"] = f"It is {WHOLE['URL'](CANARY)}."
    answer, _ = lines.answer({"response": {"status_code": 200, "body": body}})
    assert lines.response(request, {0: answer}).texts == ("It is ***.",)
    failed, _ = lines.answer({"error": {"message": CANARY}})
    assert failed.reason == "***"
