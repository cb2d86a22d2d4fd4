"""Describes data sets in Croissant 1.0, which catalogues of data sets and loaders of training programs read.

The format is that of Akhtar et al. 2024, Croissant: A Metadata Format for ML-Ready Datasets (arXiv 2403.19546), in the
version http://mlcommons.org/croissant/1.0. Licence, creators and address are left to whoever publishes the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from probsense.core.files import CROISSANT, file_hash, writing
from probsense.core.records import Json

FORMATS: Final = {
    ".bz2": "application/x-bzip2",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".yaml": "application/yaml",
}
"""What the ending of a file's name says of its format."""
_KINDS: Final = ((bool, "sc:Boolean"), (int, "sc:Integer"), (float, "sc:Float"))
_TERMS: Final = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated"),
    *("replace", "samplingRate", "separator", "source", "subField", "transform"),
)
_CONTEXT: Final[Mapping[str, Json]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
"""The context that the specification asks for, word for word, since readers compare it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    kind : str
        A type of schema.org: "sc:Text", "sc:Integer", "sc:Float" or "sc:Boolean".
    repeated : bool
        Whether each cell is a list of such values.
    meaning : str
        "" for what its name says.
    """

    kind: str
    repeated: bool = False
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A file of a data set.

    Attributes
    ----------
    name : str
        Its path from the folder of the data set.
    sha256 : str
    columns : Mapping of str to Column
        Those of its table; empty for a file that is none.
    """

    name: str
    sha256: str
    columns: Mapping[str, Column] = field(default_factory=dict)


def column_of(values: Iterable[Any], meaning: str = "") -> Column:
    """Describe a column by its values; None counts for nothing, and what is not all of one kind is text."""
    known = [value for value in values if value not in (None, "")]
    lists = bool(known) and all(isinstance(value, list) for value in known)
    kinds = {type(value) for value in ([one for own in known for one in own] if lists else known)}
    for kind, name in _KINDS:
        if kinds and kinds <= {kind, *((int,) if kind is float else ())}:
            return Column(name, lists, meaning)
    return Column("sc:Text", lists, meaning)


def croissant(name: str, description: str, files: Sequence[DescribedFile]) -> dict[str, Json]:
    """Describe a data set: a FileObject with the hash of each file, and a RecordSet for each that is a table.

    Parameters
    ----------
    name, description : str
    files : sequence of DescribedFile

    Returns
    -------
    dict
        JSON-LD that depends on nothing else, so that equal files are described by equal bytes.
    """
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "name": name,
        "description": description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(file) for file in files if file.columns],
    }


def write_croissant(
    folder: Path, name: str, description: str, files: Mapping[str, Mapping[str, Column]]
) -> Path:
    """Write the description of files that are in the folder already, and return its path.

    Parameters
    ----------
    folder : Path
    name, description : str
    files : Mapping of str to Mapping
        The columns of each file by its name, as :class:`DescribedFile` has them.
    """
    known = [DescribedFile(file, file_hash(folder / file), columns) for file, columns in files.items()]
    path = folder / CROISSANT
    with writing(path) as stream:
        text = json.dumps(croissant(name, description, known), ensure_ascii=False, indent=1)
        stream.write(text.encode() + b"\n")
    return path


def _node(kind: str, name: str, within: str = "") -> dict[str, Json]:
    return {"@type": f"cr:{kind}", "@id": f"{within}{name}", "name": name}


def _file_object(file: DescribedFile) -> Json:
    # A packed file has the format of what is in it, and that of its packing.
    formats: list[Json] = [FORMATS[ending] for ending in Path(file.name).suffixes if ending in FORMATS]
    return {
        **_node("FileObject", file.name),
        "contentUrl": file.name,
        "encodingFormat": formats[0] if len(formats) == 1 else formats,
        "sha256": file.sha256,
    }


def _record_set(file: DescribedFile) -> Json:
    stem = file.name.partition(".")[0]
    fields: list[Json] = [
        {
            **_node("Field", name, f"{stem}/"),
            **({"description": column.meaning} if column.meaning else {}),
            "dataType": column.kind,
            **({"repeated": True} if column.repeated else {}),
            "source": {"fileObject": {"@id": file.name}, "extract": {"column": name}},
        }
        for name, column in file.columns.items()
    ]
    return {**_node("RecordSet", stem), "field": fields}
