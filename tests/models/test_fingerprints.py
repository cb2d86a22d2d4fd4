"""Fingerprints stay what they were, since a store knows a model by its fingerprint."""

from probsense.core.records import digest
from probsense.models.registry import fingerprint, load_model


def test_fingerprints_outlive_changes_of_the_code(tmp_path):
    tiny = load_model("builtin:tiny", device="cpu")
    of_machine = ("versions", "products")
    assert digest({key: value for key, value in tiny.details.items() if key not in of_machine}) == (
        "926c1000f9d3869592e87e71f25a10e4"
    )
    assert fingerprint(load_model("random:0")) == "e77a64640fca7c86d01f4572a14f26f9"
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "a", "response": "yes"}\n')
    assert fingerprint(load_model(f"recorded:{answers}")) == "382a28cc317a14a56aabf7b52e1b8274"
