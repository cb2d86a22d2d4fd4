"""A study behind nginx and Caddy by the configuration of the examples: the whole way, over HTTPS, with a prefix."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from support.studies.taking import Participant, form_of, server, study_file

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples" / "collect"
SECONDS = 20.0
PREFIX = "/study"

NGINX = """\
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        {block}
    }}
}}
"""
CADDY = """\
{{
    admin off
    auto_https off
    storage file_system {folder}/storage
"""


def example(name: str, port: int) -> str:
    """A configuration of the examples, with the port at which the study listens."""
    text = (EXAMPLES / name).read_text()
    assert "127.0.0.1:8000" in text
    return text.replace("127.0.0.1:8000", f"127.0.0.1:{port}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def proxy(name: str, folder: Path, port: int, behind: int) -> Iterator[None]:
    """A web server in front of a study."""
    executable = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if executable is None or shutil.which("openssl") is None:
        pytest.skip(f"there is no {name}")
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    keys = ("-nodes", "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", *keys, *subject], check=True, capture_output=True
    )
    if name == "nginx":
        user = (
            "user root;" if os.geteuid() == 0 else ""
        )  # Root's temporary folder is closed to everybody else.
        text = NGINX.format(user=user, folder=folder, port=port, block=example("nginx.conf", behind))
        command = [executable, "-e", f"{folder}/error.log", "-g", "daemon off;", "-c"]
    else:
        site = f"https://localhost:{port} {{\n    bind 127.0.0.1\n    tls {folder}/cert.pem {folder}/key.pem"
        text = example("Caddyfile", behind).replace("study.example {", site)
        text = text.replace("{\n", CADDY.format(folder=folder), 1)
        command = [executable, "run", "--adapter", "caddyfile", "--config"]
    (folder / "conf").write_text(text)
    with (folder / "said.log").open("w") as said:
        running = subprocess.Popen([*command, folder / "conf"], stdout=said, stderr=said)
    try:
        deadline = time.monotonic() + SECONDS
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert running.poll() is None, (folder / "said.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.wait(SECONDS)


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def site(request, tmp_path_factory):
    """The public address of a study, the researcher's, and the folder of all that was written."""
    folder = tmp_path_factory.mktemp(request.param)
    folder.chmod(0o755)
    study = study_file(folder, ids={"participant": "pid"}, per_item=30)
    port, behind = free_port(), free_port()
    public = f"https://localhost:{port}{PREFIX}/"
    with (
        server(study, folder / "answers.db", behind, "--root-path", public) as (process, printed),
        proxy(request.param, folder, port, behind),
    ):
        assert printed == public
        yield public, process.research, folder


@pytest.fixture
def client(site):
    trusting = ssl.create_default_context(cafile=site[2] / "cert.pem")
    with httpx.Client(verify=trusting, trust_env=False, timeout=SECONDS) as found:
        yield found


def test_the_whole_way_over_http(site, client):
    public, research, folder = site
    bare = client.get(public.rstrip("/"))
    assert bare.is_redirect
    assert httpx.URL(public).join(bare.headers["location"]) == public
    page = client.get(f"{public}?pid=h")
    cookie = page.headers["set-cookie"]
    for part in (f"Path={PREFIX};", "HttpOnly", "SameSite=lax", "Secure"):
        assert part in cookie
    assert len(page.headers.get_list("content-security-policy")) == 1
    assert client.get(f"{public}style.css").headers["content-type"].startswith("text/css")
    client.follow_redirects = True
    one = Participant(client, f"{public}?pid=h").agree().finish()
    assert (one.heading, str(one.page.url).startswith(f"{public}p/")) == ("Thank you", True)
    looked = client.get(research)
    paused = client.post(f"{research}pause", data={**form_of(looked.text).hidden, "paused": "yes"})
    assert str(paused.url) == research
    client.post(f"{research}pause", data={**form_of(paused.text).hidden, "paused": "no"})
    assert client.get(f"{research}answers.zip").content[:2] == b"PK"
    large = client.post(f"{public}start", content=b"x" * 70_000)
    assert large.status_code == 413
    log = folder / "access.log"
    assert not log.exists() or PREFIX not in log.read_text().replace(f"GET {PREFIX} ", "")
