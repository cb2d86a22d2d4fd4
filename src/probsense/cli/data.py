"""Defines ``probsense data``: lists and downloads published data sets."""

from __future__ import annotations

from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, Quiet, print_json

app = typer.Typer(help="List and download published data sets.", no_args_is_help=True)


@app.command("list")
def show(json: JsonFlag = False) -> None:
    """List the published data sets with their parts and licences, and say which parts are on this machine."""
    from probsense.core.datasets.catalogue import CATALOGUE
    from probsense.core.datasets.download import data_home, missing

    parts = [
        {
            "name": f"{data_set.name}/{part.name}",
            "title": part.title,
            "licence": data_set.licence,
            "files": len(part.files),
            "missing": len(missing(f"{data_set.name}/{part.name}")),
        }
        for data_set in CATALOGUE.values()
        for part in data_set.parts
    ]
    if json:
        print_json({"schema": 1, "folder": str(data_home()), "data": parts})
        return
    for data_set in CATALOGUE.values():
        print(f"{data_set.name}: {data_set.title}")
        print(
            f"  {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url}); {data_set.home}"
        )
    for part in parts:
        state = "here" if not part["missing"] else f"{part['missing']} of {part['files']} files not here"
        print(f"  {part['name']}: {part['title']} ({state})")
    print(f"folder: {data_home()}")


@app.command("get")
def get(
    name: Annotated[
        str,
        typer.Argument(help="A data set (NAME), or a part of one (NAME/PART), as 'data list' shows them."),
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Download again, even if the files are here.")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Do not use the network.")] = False,
    quiet: Quiet = False,
) -> None:
    """Download a published data set, check it against its checksums, and print its folder."""
    import sys

    from probsense.core.datasets import download
    from probsense.core.datasets.catalogue import find

    def say(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr)

    data_set, _ = find(name)
    say(f"{data_set.title}: {data_set.attribution}; licence {data_set.licence} ({data_set.licence_url})")
    print(download.get(name, force=force, offline=offline, note=say))
