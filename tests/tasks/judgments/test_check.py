"""What ``data check`` says of statements and of people's ratings."""

import pytest

from probsense.tasks.judgments.check import check_data
from probsense.tasks.judgments.task import Judgments


@pytest.fixture
def statements(tmp_path):
    path = tmp_path / "statements.csv"
    path.write_text("statement,topic\nBirds fly.,air\nFish fly.,air\nStones sink.,water\nWood sinks.,water\n")
    return path


def test_statements_are_counted_and_shown(statements):
    found = check_data(statements)
    assert found.summary == "4 statements, and of each topic"
    assert found.shown[2] == ("statement 2", "Stones sink.")
    assert found.command[-2:] == ["--data", str(statements)]


def test_ratings_are_told_with_labels_and_the_command(statements, tmp_path):
    path = tmp_path / "people.csv"
    header = "person;Birds fly. (q1);Fish fly. (q1);Fish fly. (q2);sex"
    path.write_text(f"{header}\nann;ja;nein;;f\nbob;;;;m\ncy;ja;;nein;f\n")
    found = check_data(path, data=statements, labels=["yes=ja", "no=nein"])
    counts = "q1: 2 yes, 1 no, 1 unanswered; q2: 0 yes, 1 no, 3 unanswered"
    assert found.summary == f"2 people and 2 statements; {counts}"
    assert found.read.startswith("a wide table: 3 people × 2 statements")
    assert found.dropped == ("the column sex", "people without a rating (1): bob")
    assert found.more == ["labels: ja is yes; nein is no"]
    assert found.shown[1] == ("ann, statement 1", "Fish fly.\nq1 no, q2 nothing")
    assert found.command[-6:] == ["--humans", str(path), "--labels", "yes=ja", "--labels", "no=nein"]


def test_what_most_people_say_is_told_with_its_command(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("statement,share\nSnow is warm.,4%\nSnow is cold.,97%\nSnow is nice.,50%\n")
    found = check_data(path)
    assert found.summary == "what most people say of 2 statements: 1 yes, 1 no"
    assert [*found.command[-4:]] == ["--data", str(path), "--majority", str(path)]
    path.write_text("statement_id,most\n3,ja\n")
    found = check_data(path, labels=["yes=ja", "no=nein"], columns=["majority=most"])
    options = ["--labels", "yes=ja", "--labels", "no=nein", "--columns", "majority=most"]
    assert [*found.command[5:]] == [*options, "--majority", str(path)]
    Judgments(majority=path, labels=["yes=ja", "no=nein"], columns=["majority=most"])
