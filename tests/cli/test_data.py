"""``probsense data check``: which task reads a table, and tables that are wrong."""

import json

from support.command import assert_refused


def test_the_tasks_that_can_read_a_file_are_named(probsense, tmp_path):
    (tmp_path / "both.csv").write_text("question,option,answer,count\nWho?,cook,cook,3\nWho?,chef,chef,2\n")
    done = probsense("data", "check", "both.csv")
    assert done.out.startswith("choices and frames can read it\n\nchoices: 1 question, 2 options")
    both = json.loads(probsense("data", "check", "both.csv", "--json").out)["tasks"]
    assert (both["choices"]["dropped"], both["frames"]["dropped"]) == (
        ["the column answer"],
        ["the column option"],
    )
    for task, said in (("choices", "1 question, 2 options"), ("frames", "1 frame with 5 answers")):
        assert probsense("data", "check", "both.csv", "--task", task).out.startswith(said)
    told = probsense("data", "check", "both.csv", "--task", "choices", "--json")
    assert json.loads(told.out)["items"] == 1
    assert_refused(probsense("data", "check", "both.csv", "--task", "frmes"), "did you mean 'frames'?")
    mixed = ("-O", "reader=table", "-O", "labels=yes=ja")
    assert_refused(probsense("data", "check", "both.csv", *mixed), "no task takes reader and labels together")
    (tmp_path / "pairs.csv").write_text("good,bad,UID\nCats sleep.,Cats sleeps.,verb\n")
    assert probsense("data", "check", "pairs.csv").out.startswith("1 pair of sentences; parts: 1 of UID\n")
    rows = "".join(f"2026/01/01,{'ab'[i % 2]},{i}!\n" for i in range(6))
    (tmp_path / "open.csv").write_text('Timestamp,"Cold, or hot?",Why?\n' + rows)
    told = probsense("data", "check", "open.csv")
    assert told.out.startswith("2 frames")
    assert "choices cannot read it: open.csv: the column Why? has 6" in told.err
    told = probsense("data", "check", "open.csv", "-O", "columns=questions=Cold, or hot?")
    assert told.out.startswith("choices and frames can read it\n\nchoices: 1 question, 2 options")
    (tmp_path / "none.csv").write_text("a,b\n1,2\n")
    assert_refused(
        probsense("data", "check", "none.csv"),
        "none.csv: no task can read it; choices: has no column question; frames: has no column question; judgments:",
    )
