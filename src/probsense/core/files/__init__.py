"""Reads and writes files, with checks that name the exact place of whatever is wrong."""

from probsense.core.files.csv_rows import read_csv as read_csv
from probsense.core.files.place import Place as Place
from probsense.core.files.read import file_hash as file_hash
from probsense.core.files.read import kind_of as kind_of
from probsense.core.files.read import open_bytes as open_bytes
from probsense.core.files.read import read_bytes as read_bytes
from probsense.core.files.read import read_json as read_json
from probsense.core.files.read import read_jsonl as read_jsonl
from probsense.core.files.read import read_text as read_text
from probsense.core.files.read import read_yaml as read_yaml
from probsense.core.files.write import STDOUT as STDOUT
from probsense.core.files.write import check_folder as check_folder
from probsense.core.files.write import check_writable as check_writable
from probsense.core.files.write import writing as writing
