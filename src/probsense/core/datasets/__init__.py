"""Lists published data sets with their licences, and downloads them."""

from __future__ import annotations

from probsense.core.datasets.catalogue import CATALOGUE, DataFile, DataSet, Part, find
from probsense.core.datasets.download import data_home, get, missing

__all__ = ["CATALOGUE", "DataFile", "DataSet", "Part", "data_home", "find", "get", "missing"]
