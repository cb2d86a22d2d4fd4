"""The commands against llama.cpp's server, as a user gives them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

SECONDS = 600


def command(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """``probsense`` with these words, in a folder of its own."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PROBSENSE_CACHE": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "probsense", *map(str, words)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def document(folder: Path, *words: object) -> dict[str, Any]:
    done = command(folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_doctor(base_url: str, tmp_path: Path) -> None:
    words = ("doctor", "openai:tiny", "-M", f"base_url={base_url}", "-M", "prompt_format=plain")
    done = command(tmp_path, *words, "--json")
    found = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["options"]["ok"]
    assert found["options, in a batch"]["data"]["largest_difference"] < 1e-3
    assert found["labels, probabilities"]["ok"]
    assert not found["texts, the most probable"]["ok"]
    assert done.returncode == 1
    plain = '{"top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1}'
    well = command(tmp_path, *words, "-M", f"extra_body={plain}")
    assert well.returncode == 0, well.stdout


def test_batch_files(base_url: str, tmp_path: Path) -> None:
    """The lines of a batch file, posted one by one as a batch endpoint does."""
    asked = ("winogrande", "--limit", 6, "--model", "openai:tiny", "-M", f"base_url={base_url}")
    words = (*asked, "-M", "abilities=completions,echo,top_logprobs=5")
    wrote = document(tmp_path, "batch", "write", *words, "--out", "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == wrote["lines"] > 6
    with (
        httpx.Client(trust_env=False, timeout=SECONDS) as client,
        (tmp_path / "back.jsonl").open("w") as back,
    ):
        for line in reversed(lines):
            answer = client.post(base_url.removesuffix("/v1") + line["url"], json=line["body"])
            response = {"status_code": answer.status_code, "body": answer.json()}
            back.write(json.dumps({"custom_id": line["custom_id"], "response": response}) + "\n")
    read = document(tmp_path, "batch", "read", "back.jsonl", *words[3:])
    assert (read["answers"], read["failures"]) == (wrote["requests"], {})
    ran = document(tmp_path, "run", *words)
    assert ran["run"]["asked"] == 0
    at_once = document(tmp_path, "run", *words, "--store", "other.db")
    assert at_once["run"]["asked"] == wrote["requests"]
    assert ran["estimates"] == at_once["estimates"]
