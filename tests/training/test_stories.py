"""The lessons on facts: nothing of a test skin is read."""

from itertools import islice

from probsense.tasks.worldsense.text.skin_files import load_skins
from stories import second_curriculum


def test_no_name_of_a_test_skin_is_read():
    names = {name for skin in load_skins("test") for name in skin.names}
    for lesson in second_curriculum(0):
        read = "".join(question + answer for text in islice(lesson.texts, 50) for question, answer in text)
        assert not [name for name in names if f" {name} " in read], lesson.name
