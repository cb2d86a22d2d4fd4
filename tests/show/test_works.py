"""What to cite: as the repository says it, in print and in BibTeX."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from probsense.show.works import Work, bibtex
from probsense.tasks.registry import task_names, words_named

CITATION = yaml.safe_load((Path(__file__).parents[2] / "CITATION.cff").read_text())


def test_tasks_declare_what_the_repository_says_to_cite() -> None:
    declared = {
        (name, work.title, work.year, work.authors, work.doi, work.arxiv)
        for name in task_names()
        for work in words_named(name).works
    }
    known = {
        (
            re.search(r"task (\w+)", one["scope"])[1],
            one["title"],
            one["year"],
            tuple(f"{who['family-names']}, {who['given-names']}" for who in one["authors"]),
            one.get("doi", ""),
            next((i["value"].removeprefix("arXiv:") for i in one.get("identifiers", ())), ""),
        )
        for one in CITATION["references"]
    }
    assert declared == known


def test_print_and_bibtex() -> None:
    paper = Work("article", ("Ö, A.", "B, C", "D"), "100 % of {it}", 2024, "Jour & Nal", doi="10.1/x_y")
    assert paper.said == "Ö et al. (2024). 100 % of {it}. Jour & Nal."
    assert paper.link == "https://doi.org/10.1/x_y"
    assert bibtex([paper, paper]) == (
        "@article{o2024work,\n  author = {Ö, A. and B, C and D},\n  title = {{100 \\% of \\{it\\}}},\n"
        "  year = {2024},\n  journal = {Jour \\& Nal},\n  doi = {10.1/x_y},\n  url = {https://doi.org/10.1/x_y},\n}\n"
    )
    program = Work("software", ("A, B",), "Prog?", 2023, "https://x.org")
    assert program.said == "A (2023). Prog? https://x.org."
    assert "@misc{a2023prog," in bibtex([program])
    assert program.link == ""


def test_every_declared_work_has_a_key_of_its_own() -> None:
    works = [work for name in task_names() for work in words_named(name).works]
    assert len({work.key for work in works}) == len(works)
    text = bibtex(works)
    assert text.count("{") == text.count("}")
