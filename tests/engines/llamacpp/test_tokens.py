"""The tokenizer of a GGUF file, beside the original one."""

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text() | st.text("abc XYZ019 \n\t.,'’s<>é½٣世🙂"))
@example(text="  two blanks, 12 345 numbers\n\n\tand tabs ")
@example(text="crème brûlée, 世界, 🙂👍🏽")
@example(text="<s> is no special token of this text")
def test_tokens_are_those_of_the_original(text, own, original):
    text = text.encode("utf-8", "replace").decode()
    expected = original(text, add_special_tokens=False)
    (found,) = own.encode_batch([text], add_special_tokens=False)
    assert found.ids == expected["input_ids"]
    assert own.convert_ids_to_tokens(found.ids) == original.convert_ids_to_tokens(found.ids)
    assert own.decode(found.ids) == original.decode(found.ids, clean_up_tokenization_spaces=False)
    assert own.decode([0, *found.ids], skip_special_tokens=True) == text.replace("<s>", "")
    covered = {character for start, stop in found.offsets for character in range(start, stop)}
    assert covered == {*range(len(text))}
