"""Nothing that we generate is a published text, and nothing published is in our skins (I12)."""

import bz2
import json

import pytest

from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.sets import Design, generate
from probsense.tasks.worldsense.text.skin_files import load_skins


@pytest.mark.reference
def test_no_generated_text_or_sentence_is_published(reference_data):
    published = set()
    for name in ("memorisation", "ood-query"):
        with bz2.open(reference_data / "worldsense" / name / "trials.jsonl.bz2", "rt") as lines:
            published |= {json.loads(line)["text"] for line in lines}
    everything = "\n".join(published)
    for skins in ("test", "train"):
        design = Design(seed=1, problems=tuple(PROBLEMS), skins=load_skins(skins))
        assert not {record["text"] for records in generate(design) for record in records} & published
        for skin in design.skins:
            for _, template in skin.templates():
                longest = max(template.replace("}", "{").split("{"), key=len).strip()
                assert len(longest.split()) < 4 or longest not in everything, (skin.name, longest)
