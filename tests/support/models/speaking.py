"""Made models that answer only where something holds of the text before the answer."""

import math
import re
from functools import cache, partial

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from probsense.core.errors import ModelError
from probsense.models.next_token.alignment import encoder
from probsense.models.next_token.model import local_model
from probsense.models.next_token.reading import Rows, Runner

TEMPLATE = (
    "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]{% endif %}"
)
LINES = ["yes yes Yes no no No", 'A A B B I I "yes" "no"', "\n yes\n no\n A\n B\n I"] * 9


@cache
def tokenizer(template):
    """Has a token for each of yes, no, A, B and I, with a blank before it and without."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(LINES, trainer)
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    found = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>")
    found.chat_template = template
    return found


def speaking(hears, *, blank="", follows=0.9, template=TEMPLATE, **wishes):
    """Make a model that gives labels nine tenths of the probability after texts that it hears, and else nothing.

    Parameters
    ----------
    hears : callable
        Tells whether the model answers after a text.
    blank : str
        What stands before its labels.
    follows : float
        Share of the answer that a text gives away, among two labels.
    template : str or None
    **wishes
        "chat", "system_prompt" and "prompt_format", as users say them.
    """
    known = tokenizer(template)
    runner = Runner(None, len(known), None, 2**20, partial(_read, hears, blank, follows))
    details = {"backend": "made", "follows": follows, "blank": blank}
    given = {"system_prompt": None, "prompt_format": None, **wishes}
    return local_model("made:", details, runner, encoder(known), lambda: _no_texts, **given)


def _no_texts(*_):
    raise ModelError("it writes no texts")


def _read(hears, blank, follows, runner, needs, consume):
    known = tokenizer(TEMPLATE)  # the template makes no difference to its tokens
    runner.usage += type(runner.usage)(tokens=sum(len(need.ids) for need in needs))
    for number, need in enumerate(needs):
        places = range(need.first, len(need.ids))
        logits = [
            _logits(known, next_words(known.decode(need.ids[: at + 1]), hears, blank, follows))
            for at in places
        ]
        places_ = torch.arange(need.first, len(need.ids)).numpy()
        consume(Rows(torch.stack(logits), 0 * places_ + number, places_, places_ - need.first))
        yield [number]


def next_words(text, hears, blank, follows):
    """What comes next after a text, with the probability of each word."""
    if not hears(text):
        return {"I": 0.95, f"{blank}yes": 0.03, f"{blank}no": 0.02}
    labels = ("A", "B") if " letter" in text else ("yes", "no")
    told = re.search('Answer the following with "(yes|no|A|B)"', text)
    share = 0.5 if told is None else follows if told[1] == labels[0] else 1 - follows
    return {f"{blank}{labels[0]}": 0.9 * share, f"{blank}{labels[1]}": 0.9 * (1 - share), "I": 0.1}


def _logits(known, words):
    found = torch.full((len(known),), -30.0)
    for word, probability in words.items():
        (token,) = known.encode(word)
        found[token] = math.log(probability)
    return found
