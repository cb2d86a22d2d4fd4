"""What everything that is installed declares: every option is explained to users of the command."""

from probsense.core import registry
from probsense.core.options import declared
from probsense.models.registry import model_options, model_schemes
from probsense.tasks.registry import task_names, task_options, task_type

MARKUP = ("`", ":func", ":data", ":class", "As for", "None", "probsense.")
"""What means something in Python alone."""


def takers():
    """Everything installed that declares options, by what users call it."""
    for name in task_names():
        yield name, task_options(name)
        task = task_type(name)
        if task.analyse:
            yield f"analyse {name}", declared(task.analyse)
        if task.reads_scores:
            yield f"compare {name}", declared(task.reads_scores)
        for verb, function in task.verbs.items():
            yield f"{verb} {name}", declared(function)
    for scheme in model_schemes():
        yield f"{scheme}:", model_options(scheme)
    for name in registry.entries("probsense.readers"):
        yield name, declared(registry.find("probsense.readers", "reader", name))


def test_every_option_of_every_task_model_and_reader_is_explained():
    found = dict(takers())
    assert {"worldsense", "analyse worldsense", "compare suite", "generate worldsense", "hf:"} <= found.keys()
    assert {"oracle:", "random:", "recorded:", "builtin:", "openai:", "lm-eval"} <= found.keys()
    for taker, options in found.items():
        for option in options.values():
            where = f"{taker} {option.flag}: {option.help!r}"
            assert len(option.help) > 5, where
            assert option.help.endswith((".", "!")), where
            assert not [sign for sign in MARKUP if sign in option.help], where
