from __future__ import annotations

import bz2
import gzip
import hashlib
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from probsense.core import datasets
from probsense.core.datasets import DataFile, DataSet, Part
from probsense.core.errors import ProbSenseError

TRIALS = bz2.compress(b'{"Key": 1}\n{"Key": 2}\n')
RESULTS = b'{"Key": 1, "resp": "TRUE"}\n' * 2000
OTHER = b'{"Key": 2, "resp": "FALSE"}\n'
RESULTS_PATH = "toy/set/results/basic___A+B___results.jsonl"


class Server:
    """Serves ``content`` by path; ``faults`` says how an answer goes wrong."""

    def __init__(self) -> None:
        self.content = {
            "toy/set/trials.jsonl.bz2": TRIALS,
            RESULTS_PATH: RESULTS,
            "toy/other/more.jsonl": OTHER,
        }
        self.faults: dict[str, str] = {}
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = unquote(self.path).lstrip("/")
                server.asked.append(path)
                fault = server.faults.get(path, "")
                if fault == "redirect":
                    server.faults.pop(path)
                    self.send_response(302)
                    self.send_header("Location", self.path)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if path not in server.content or fault == "404":
                    self.send_error(404)
                    return
                body = server.content[path]
                self.send_response(200)
                if fault == "gzip":
                    body = gzip.compress(body)
                    self.send_header("Content-Encoding", "gzip")
                length = len(body) + (1000 if fault == "wrong length" else 0)
                if fault != "no length":
                    self.send_header("Content-Length", str(length))
                self.end_headers()
                if fault in ("cut", "no length"):
                    body = body[: len(body) // 2]
                self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    monkeypatch.setenv("PROBSENSE_DATA_URL", made.url)
    yield made
    made.http.shutdown()
    made.http.server_close()


def data_set(name: str, *parts: Part) -> DataSet:
    return DataSet(name, "", "", "", "", "", "http://127.0.0.1:9/pinned", parts)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one toy data set, in a folder of its own."""
    trials = DataFile(
        "trials.jsonl.bz2", "there/trials.jsonl.bz2", hashlib.sha256(TRIALS).hexdigest(), size=len(TRIALS)
    )
    results = DataFile(
        "results/basic___A+B___results.jsonl",
        "there/results/A+B.jsonl",
        git_blob=hashlib.sha1(f"blob {len(RESULTS)}\0".encode() + RESULTS).hexdigest(),
    )
    more = DataFile("more.jsonl", "more.jsonl", hashlib.sha256(OTHER).hexdigest())
    toy = data_set("toy", Part("set", "", (trials, results)), Part("other", "", (more,)))
    monkeypatch.setattr(datasets, "CATALOGUE", {"toy": toy})
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("PROBSENSE_OFFLINE", raising=False)
    monkeypatch.delenv("PROBSENSE_DATA_URL", raising=False)
    return tmp_path / "data"


def files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_get_lays_out_the_files_as_published(server: Server, root: Path) -> None:
    assert datasets.get("toy/set") == root / "toy/set"
    assert (root / "toy/set/trials.jsonl.bz2").read_bytes() == TRIALS
    assert (root / RESULTS_PATH).read_bytes() == RESULTS
    assert datasets.missing("toy/set") == []
    assert datasets.missing("toy") == ["toy/other/more.jsonl"]


def test_a_second_get_asks_the_server_nothing_and_force_asks_again(server: Server, root: Path) -> None:
    datasets.get("toy")
    server.asked.clear()
    assert datasets.get("toy") == root / "toy"
    assert server.asked == []
    datasets.get("toy/set", force=True)
    assert sorted(server.asked) == [RESULTS_PATH, "toy/set/trials.jsonl.bz2"]


def test_a_folder_of_data_sets_served_as_it_is_is_a_mirror(
    server: Server, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets.get("toy")
    server.content = {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "second"))
    datasets.get("toy", base_url=server.url + "/")
    assert files(tmp_path / "second") == files(root)


@pytest.mark.parametrize(
    ("fault", "said"),
    [("cut", ""), ("wrong length", ""), ("404", "404"), ("no length", "")],
)
@pytest.mark.parametrize("path", [RESULTS_PATH, "toy/set/trials.jsonl.bz2"])
def test_a_bad_answer_leaves_nothing_behind_and_a_later_call_goes_on(
    server: Server, root: Path, fault: str, said: str, path: str
) -> None:
    server.faults[path] = fault
    with pytest.raises(ProbSenseError) as caught:
        datasets.get("toy/set")
    message = str(caught.value)
    assert message.startswith(f"{server.url}/toy/set/")
    assert said in message
    assert "\n" not in message
    assert path not in files(root)
    assert not list(root.rglob(".*"))
    server.faults.clear()
    server.asked.clear()
    datasets.get("toy/set")
    assert (root / RESULTS_PATH).read_bytes() == RESULTS
    if path == RESULTS_PATH:
        assert server.asked == [RESULTS_PATH]


def test_redirects_and_compressed_answers_are_followed(server: Server, root: Path) -> None:
    server.faults = {RESULTS_PATH: "gzip", "toy/set/trials.jsonl.bz2": "redirect"}
    said: list[str] = []
    datasets.get("toy/set", note=said.append)
    assert (root / RESULTS_PATH).read_bytes() == RESULTS
    assert said[:2] == ["downloading toy/set/trials.jsonl.bz2", f"downloading {RESULTS_PATH}"]


def test_wrong_bytes_are_refused(server: Server, root: Path) -> None:
    server.content["toy/set/trials.jsonl.bz2"] = TRIALS[:20]
    found, published = (hashlib.sha256(body).hexdigest() for body in (TRIALS[:20], TRIALS))
    said = rf"{found} \(20 bytes\), but should be {published} \({len(TRIALS)} bytes\); nothing was kept"
    with pytest.raises(ProbSenseError, match=said):
        datasets.get("toy/set")
    assert files(root) == set()


@pytest.mark.parametrize("path", ["toy/set/trials.jsonl.bz2", RESULTS_PATH])
def test_a_file_that_was_altered_here_is_noticed_and_force_mends_it(
    server: Server, root: Path, path: str
) -> None:
    datasets.get("toy/set")
    (root / path).write_bytes(b"altered")
    with pytest.raises(ProbSenseError, match=r"not the published file.*--force"):
        datasets.get("toy/set")
    datasets.get("toy/set", force=True)
    assert datasets.get("toy/set", offline=True) == root / "toy/set"


def test_offline_never_asks(server: Server, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProbSenseError, match=r"trials\.jsonl\.bz2 \(and 1 more files\): not on this machine"):
        datasets.get("toy/set", offline=True)
    monkeypatch.setenv("PROBSENSE_OFFLINE", "1")
    with pytest.raises(ProbSenseError, match="probsense data get toy/other"):
        datasets.get("toy/other")
    assert server.asked == []
    assert not root.exists()
    monkeypatch.setenv("PROBSENSE_OFFLINE", "0")
    datasets.get("toy/other")
    server.asked.clear()
    assert datasets.get("toy/other", offline=True, force=True) == root / "toy/other"
    assert server.asked == []


def test_two_downloads_of_one_file_do_not_get_in_each_others_way(server: Server, root: Path) -> None:
    with ThreadPoolExecutor() as pool:
        assert set(pool.map(lambda _: datasets.get("toy/set", force=True), range(8))) == {root / "toy/set"}
    assert (root / RESULTS_PATH).read_bytes() == RESULTS
    assert len(files(root)) == 2


def test_no_network_is_one_clear_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(ProbSenseError, match=r"the download failed.*repeat the command") as caught:
            datasets.get("toy/other", base_url=url)
    assert str(caught.value).startswith(f"{url}/toy/other/more.jsonl: ")


@pytest.mark.parametrize("url", ["http://[", "ftp://127.0.0.1", "nowhere"])
def test_an_address_that_is_none_is_one_clear_error(url: str) -> None:
    with pytest.raises(ProbSenseError, match=r"more\.jsonl"):
        datasets.get("toy/other", base_url=url)
    assert datasets._public_url(datasets.CATALOGUE["toy"], DataFile("a.csv", "there/A+B.csv")) == (
        "http://127.0.0.1:9/pinned/there/A%2BB.csv"
    )


def test_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(datasets, "SECONDS", (0.05, 0.05))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ProbSenseError, match=r"the download failed.*timed out"):
            datasets.get("toy/other", base_url=f"http://127.0.0.1:{silent.getsockname()[1]}")
