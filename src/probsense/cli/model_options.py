"""The options that say which model is asked and how it is loaded, and the loading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from probsense.models.base import Model

_PANEL = "Model"
SPECS = "hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random:SEED, recorded:FILE, oracle:"

ModelSpec = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help=SPECS,
        rich_help_panel=_PANEL,
    ),
]
Dtype = Annotated[
    str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.", rich_help_panel=_PANEL)
]
Device = Annotated[
    str | None,
    typer.Option(
        "--device", help="cpu, cuda, cuda:1, mps; balanced or sequential for several.", rich_help_panel=_PANEL
    ),
]
Revision = Annotated[
    str | None, typer.Option("--revision", help="Branch, tag or commit on the hub.", rich_help_panel=_PANEL)
]
BatchTokens = Annotated[
    int | None, typer.Option("--batch-tokens", help="Tokens in a batch.", rich_help_panel=_PANEL)
]
Truncate = Annotated[
    str | None,
    typer.Option(
        "--truncate",
        help="'left' drops the beginning of a text that is too long for the model.",
        rich_help_panel=_PANEL,
    ),
]
Chat = Annotated[
    bool | None,
    typer.Option("--chat/--no-chat", help="Use the chat template, if there is one.", rich_help_panel=_PANEL),
]
SystemPrompt = Annotated[
    str | None, typer.Option("--system-prompt", help="For chat templates.", rich_help_panel=_PANEL)
]
PromptFormat = Annotated[
    str | None,
    typer.Option(
        "--prompt-format",
        help="What stands around a prompt: chat, plain, gemma, olmo, falcon or gpt-5.",
        rich_help_panel=_PANEL,
    ),
]
TrustRemoteCode = Annotated[
    bool | None,
    typer.Option("--trust-remote-code", help="Run code that comes with a model.", rich_help_panel=_PANEL),
]
_SERVER = "Model behind an API"

BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="Where an OpenAI-compatible server's routes begin, such as http://127.0.0.1:8000/v1.",
        rich_help_panel=_SERVER,
    ),
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        help="Environment variable with the key; OPENAI_API_KEY, unless given.",
        metavar="NAME",
        rich_help_panel=_SERVER,
    ),
]
Route = Annotated[
    str | None,
    typer.Option("--route", help="chat or completions; by default what answers.", rich_help_panel=_SERVER),
]
Abilities = Annotated[
    str | None,
    typer.Option(
        "--abilities",
        help="What the endpoint does, such as chat,top_logprobs=20,many,seed: it is not examined then.",
        metavar="NAME,…",
        rich_help_panel=_SERVER,
    ),
]
ExtraBody = Annotated[
    str | None,
    typer.Option(
        "--extra-body",
        help='What every request says besides, for one kind of server, such as \'{"top_k": 0, "min_p": 0}\'.',
        metavar="JSON",
        rich_help_panel=_SERVER,
    ),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        "--reasoning-effort",
        help="none, minimal, low, medium or high, for models that think first.",
        rich_help_panel=_SERVER,
    ),
]
MaxTries = Annotated[
    int | None,
    typer.Option("--max-tries", help="How often a request is sent at most.", rich_help_panel=_SERVER),
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds for one try.", rich_help_panel=_SERVER)
]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", help="Requests under way at once, at most.", rich_help_panel=_SERVER),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="Table of prices: a mapping of models to {input: PRICE, output: PRICE} for a million tokens.",
        metavar="FILE.yaml",
        rich_help_panel=_SERVER,
    ),
]


NAMES = (
    *("dtype", "device", "revision", "batch_tokens", "truncate"),
    *("chat", "system_prompt", "prompt_format", "trust_remote_code"),
    *("base_url", "api_key_env", "route", "abilities", "extra_body", "reasoning_effort"),
    *("max_tries", "timeout", "concurrency", "prices"),
)
"""The parameters that a command has for these options."""


def load(context: typer.Context) -> Model:
    """Load the model of a command (its parameter ``model``) with those of the options that were given."""
    from probsense.models.registry import load_model

    given = {name: value for name in NAMES if (value := context.params.get(name)) is not None}
    return load_model(context.params["model"], **given)
