"""A key that the server repeats: in whatever field, it gets nowhere."""

import json
import random

import pytest

from probsense.core.errors import ProbSenseError
from probsense.core.records import SampleRequest, SampleResponse, request_key
from probsense.models.openai.batch import OpenAIBatch
from probsense.models.openai.client import run_sync
from probsense.models.openai.examination import examine
from probsense.models.openai.keys import Key
from probsense.models.registry import fingerprint
from probsense.runs.store.store import Store
from probsense.tasks.registry import load_task
from support.servers.asking import CHAT_20, manner, model, quick
from support.servers.hostile import chat_answer, response, serving

CANARY = "sk-proj/Canary+0123456789_abcdef"


def test_it_is_hidden_in_every_field():
    said = {f"a {CANARY}": [{"text": f"{CANARY}, {CANARY}."}, -1.0, None, True]}
    assert Key(CANARY).hide(said) == {"a ***": [{"text": "***, ***."}, -1.0, None, True]}


def test_words_that_serve_as_keys_stay():
    assert Key("EMPTY").hide("an EMPTY room") == "an EMPTY room"


def repeat(answer, rng):
    """Put the key into an answer, and return its bytes."""
    for choice in answer["choices"]:
        choice["message"]["content"] = rng.choice([CANARY, [{"type": "text", "text": f"It is {CANARY}."}]])
    raw = json.dumps(answer | {"system_fingerprint": CANARY, CANARY: CANARY}).replace("/", "\\/")
    return raw.replace("C", "\\u0043").encode() if rng.random() < 0.5 else raw.encode()


def test_a_server_that_repeats_it_gets_it_into_no_store(tmp_path):
    rng = random.Random(1)
    requests = [SampleRequest(f"Say {i}", n=2) for i in range(60)]
    with serving(reply=lambda path, head, body: response(repeat(chat_answer(body), rng))) as server:
        asked = model(server.url, key=Key(CANARY), tries=1)
        answers = [one for batch in asked.sample(requests) for one in batch]
    path = tmp_path / "runs.sqlite"
    with Store.open(path) as store:
        came = [(request_key(requests[i]), one) for i, one in answers if isinstance(one, SampleResponse)]
        store.start_run(load_task("judgments"), [], "sample", 0, asked)
        store.put(fingerprint(asked), came)
    assert len(came) == 60
    for file in tmp_path.iterdir():
        assert "Canary" not in file.read_bytes().decode("latin-1")
    assert "Canary" not in repr(answers)


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_the_doctor_and_its_errors_do_not_show_it(status):
    rng = random.Random(status)

    def reply(path, head, body):
        if status == 200 and "messages" in body:
            return response(repeat(chat_answer(body), rng))
        listed = {"data": [{"id": CANARY}], "error": {"message": f"{'x' * rng.randrange(300)} {CANARY}"}}
        return response(rng.choice([json.dumps(listed), f"<html>{CANARY}"]).encode(), status)

    async def ask(url):
        async with quick(url, key=Key(CANARY), tries=1) as client:
            return await examine(client, "toy", None, {})

    with serving(reply=reply) as server:
        for _ in range(10):
            try:
                said = repr(run_sync(ask(server.url)))
            except ProbSenseError as error:
                said = f"{error!r} {error.__cause__!r} {error.__context__!r}"
            assert "sk-proj" not in said


def test_no_batch_file_brings_it_in():
    lines, request = OpenAIBatch(manner(CHAT_20), key=Key(CANARY)), SampleRequest("Say", n=1)
    (line,) = lines.ask("0" * 32, request)
    body = chat_answer(line["body"])
    body["choices"][0]["message"]["content"] = f"It is {CANARY}."
    answer, _ = lines.answer({"response": {"status_code": 200, "body": body}})
    assert lines.response(request, {0: answer}).texts == ("It is ***.",)
    failed, _ = lines.answer({"error": {"message": CANARY}})
    assert failed.reason == "***"
