"""Reads and writes files, with checks that name the exact place of whatever is wrong."""

from probsense.core.files.cache import cache_folder, keep_json, kept_json, made_once
from probsense.core.files.csv_rows import read_csv, read_csv_rows
from probsense.core.files.place import Place
from probsense.core.files.read import (
    file_hash,
    kind_of,
    named_files,
    open_bytes,
    read_bytes,
    read_json,
    read_jsonl,
    read_text,
    read_yaml,
)
from probsense.core.files.write import STDOUT, check_folder, check_writable, writing

__all__ = [
    "STDOUT",
    "Place",
    "cache_folder",
    "check_folder",
    "check_writable",
    "file_hash",
    "keep_json",
    "kept_json",
    "kind_of",
    "made_once",
    "named_files",
    "open_bytes",
    "read_bytes",
    "read_csv",
    "read_csv_rows",
    "read_json",
    "read_jsonl",
    "read_text",
    "read_yaml",
    "writing",
]
