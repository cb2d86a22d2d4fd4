"""Data sets are downloaded whole, checked, kept, and found again."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import unquote

import httpx
import pytest

from probsense.core import datasets
from probsense.core.datasets import DataFile, DataSet, Part
from probsense.core.errors import InputError, ProbSenseError

TRIALS = bz2.compress(b'{"Key": 1}\n{"Key": 2}\n')
RESULTS = b'{"Key": 1, "resp": "TRUE"}\n' * 2000
OTHER = b'{"Key": 2, "resp": "FALSE"}\n'
TRIALS_PATH, RESULTS_PATH = "toy/set/trials.jsonl.bz2", "toy/set/results/basic___A+B___results.jsonl"
MIRROR = "http://mirror.test"


class Server:
    """Serves ``content`` by path; ``faults`` says how an answer goes wrong."""

    def __init__(self):
        self.content = {TRIALS_PATH: TRIALS, RESULTS_PATH: RESULTS, "toy/other/more.jsonl": OTHER}
        self.faults: dict[str, str] = {}
        self.asked: list[str] = []

    def answer(self, request):
        path = unquote(request.url.path).lstrip("/")
        self.asked.append(path)
        body, fault = self.content.get(path), self.faults.get(path)
        if body is None or fault == "404":
            return httpx.Response(404)
        if fault == "redirect":
            del self.faults[path]
            return httpx.Response(302, headers={"Location": str(request.url)})
        if fault == "gzip":
            return httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=gzip.compress(body))
        return httpx.Response(
            200, content=self._cut(body) if fault == "cut" else body[: 9 if fault else None]
        )

    def _cut(self, body):
        yield body[:9]
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")


@pytest.fixture
def server(monkeypatch):
    made = Server()
    monkeypatch.setenv("PROBSENSE_DATA_URL", MIRROR)
    with httpx.Client(transport=httpx.MockTransport(made.answer)) as client:
        monkeypatch.setattr(httpx, "stream", client.stream)
        yield made


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """A catalogue of one toy data set, in a folder of its own."""
    named = hashlib.sha1(f"blob {len(RESULTS)}\0".encode() + RESULTS).hexdigest()
    files = {
        "trials.jsonl.bz2": DataFile(hashlib.sha256(TRIALS).hexdigest(), size=len(TRIALS)),
        "results/basic___A+B___results.jsonl": DataFile(git_blob=named, folder=""),
    }
    more = DataFile(hashlib.sha256(OTHER).hexdigest())
    parts = {"set": Part("", files, "there"), "other": Part("", {"more.jsonl": more})}
    toy = DataSet("", "", "", "", "", "http://127.0.0.1:9/pinned", parts)
    monkeypatch.setattr(datasets, "CATALOGUE", {"toy": toy})
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("PROBSENSE_OFFLINE", raising=False)
    monkeypatch.delenv("PROBSENSE_DATA_URL", raising=False)
    return tmp_path / "data"


def content(root):
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_files_lie_as_published_and_are_not_asked_for_again(server, root):
    assert datasets.get("toy/set") == root / "toy/set"
    assert content(root) == {TRIALS_PATH: TRIALS, RESULTS_PATH: RESULTS}
    assert datasets.missing("toy/set") == []
    assert datasets.missing("toy") == ["toy/other/more.jsonl"]
    server.asked.clear()
    assert datasets.get("toy") == root / "toy"
    assert server.asked == ["toy/other/more.jsonl"]
    datasets.get("toy/set", force=True)
    assert sorted(server.asked[1:]) == [RESULTS_PATH, TRIALS_PATH]


def test_a_folder_of_data_sets_served_as_it_is_is_a_mirror(server, root, tmp_path, monkeypatch):
    datasets.get("toy")
    server.content = content(root)
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "second"))
    datasets.get("toy", base_url=MIRROR + "/")
    assert content(tmp_path / "second") == content(root)
    assert [url.removeprefix("http://127.0.0.1:9/pinned/") for _, url, _ in datasets._files("toy")] == [
        *("there/trials.jsonl.bz2", "results/basic___A%2BB___results.jsonl", "more.jsonl")
    ]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("cut", r"the download failed \(peer closed.*repeat the command"),
        ("404", r"the download failed \(Client error '404"),
        ("short", "not the published file"),
    ],
)
def test_a_bad_answer_leaves_nothing_behind_and_a_later_call_goes_on(server, root, fault, said):
    server.faults[RESULTS_PATH] = fault
    with pytest.raises(ProbSenseError, match=f"{MIRROR}/toy/set/.*{said}"):
        datasets.get("toy/set")
    assert content(root) == {TRIALS_PATH: TRIALS}
    server.faults.clear()
    server.asked.clear()
    datasets.get("toy/set")
    assert (content(root)[RESULTS_PATH], server.asked) == (RESULTS, [RESULTS_PATH])


def test_redirects_and_compressed_answers_are_followed(server, root):
    server.faults = {RESULTS_PATH: "gzip", TRIALS_PATH: "redirect"}
    said = []
    datasets.get("toy/set", note=said.append)
    assert content(root) == {TRIALS_PATH: TRIALS, RESULTS_PATH: RESULTS}
    assert said == [f"downloading {TRIALS_PATH}", f"downloading {RESULTS_PATH}"]


def test_wrong_bytes_are_refused(server, root):
    server.content[TRIALS_PATH] = TRIALS[:20]
    published = hashlib.sha256(TRIALS).hexdigest()
    said = rf" \(20 bytes\), but should be {published} \({len(TRIALS)} bytes\); nothing was kept"
    with pytest.raises(ProbSenseError, match=said):
        datasets.get("toy/set")
    assert content(root) == {}


@pytest.mark.parametrize("path", [TRIALS_PATH, RESULTS_PATH])
def test_a_file_that_was_altered_here_is_noticed_and_force_mends_it(server, root, path):
    datasets.get("toy/set")
    (root / path).write_bytes(b"altered")
    with pytest.raises(ProbSenseError, match=r"not the published file.*--force"):
        datasets.get("toy/set")
    datasets.get("toy/set", force=True)
    assert datasets.get("toy/set", offline=True) == root / "toy/set"


def test_offline_never_asks(server, root, monkeypatch):
    with pytest.raises(ProbSenseError, match=r"trials\.jsonl\.bz2 \(and 1 more files\): not on this machine"):
        datasets.get("toy/set", offline=True)
    monkeypatch.setenv("PROBSENSE_OFFLINE", "1")
    with pytest.raises(ProbSenseError, match="probsense data get toy/other"):
        datasets.get("toy/other")
    assert server.asked == []
    assert not root.exists()
    monkeypatch.setenv("PROBSENSE_OFFLINE", "0")
    datasets.get("toy/other")
    assert datasets.get("toy/other", offline=True, force=True) == root / "toy/other"
    assert server.asked == ["toy/other/more.jsonl"]


def test_two_downloads_of_one_file_do_not_get_in_each_others_way(server, root):
    with ThreadPoolExecutor() as pool:
        assert set(pool.map(lambda _: datasets.get("toy/set", force=True), range(8))) == {root / "toy/set"}
    assert content(root) == {TRIALS_PATH: TRIALS, RESULTS_PATH: RESULTS}


@pytest.mark.parametrize("url", ["http://[", "ftp://127.0.0.1", "nowhere"])
def test_an_address_that_is_none_is_one_clear_error(url):
    with pytest.raises(ProbSenseError, match=r"more\.jsonl"):
        datasets.get("toy/other", base_url=url)


def test_a_silent_server_times_out(monkeypatch):
    monkeypatch.setattr(datasets, "SECONDS", (0.05, 0.05))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ProbSenseError, match=r"the download failed.*timed out"):
            datasets.get("toy/other", base_url=f"http://127.0.0.1:{silent.getsockname()[1]}")


def test_a_folder_that_cannot_be_written_is_bad_input(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot be"):
        datasets.get("toy/other")
