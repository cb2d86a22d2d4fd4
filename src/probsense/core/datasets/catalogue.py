"""Lists the published data sets that ProbSense can download, with their addresses and checksums."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from probsense.core.errors import InputError, did_you_mean


@dataclass(frozen=True, slots=True)
class DataFile:
    """Describe one file of a data set.

    Attributes
    ----------
    path : str
        Its path within the part on this machine, with forward slashes.
    source : str
        Its address below the data set's ``base_url``.
    sha256 : str or None
        Its checksum; None if no checksum was known when this catalogue was written.
    git_blob : str or None
        Its name in git, a SHA-1 over its size and content, if that was known and no checksum was.
    """

    path: str
    source: str
    sha256: str | None = None
    git_blob: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Describe files that belong together and can be downloaded by themselves, such as a test set with its results."""

    name: str
    title: str
    files: tuple[DataFile, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """Describe a published data set.

    Attributes
    ----------
    name, title : str
    licence, licence_url : str
        The terms of its use, and their address.
    attribution : str
        Whom to cite.
    home : str
        The address at which its makers publish it.
    base_url : str
        The address to which the files' sources are relative; it or they are pinned to a revision.
    parts : tuple of Part
    """

    name: str
    title: str
    licence: str
    licence_url: str
    attribution: str
    home: str
    base_url: str
    parts: tuple[Part, ...]


_WORLDSENSE_COMMIT = "bd81d945077f169cf95ff39207f788f86e4645e9"


def _test_set(name: str, title: str, folder: str, trials: str | None, results: dict[str, str | None]) -> Part:
    """Describe a test set in the published layout: the trials, and one results file for each model."""
    names = {"trials.jsonl.bz2": trials} | {
        f"results/basic___{model}___results.jsonl": checksum for model, checksum in results.items()
    }
    return Part(
        name,
        title,
        tuple(DataFile(path, f"{folder}/{path}", checksum) for path, checksum in names.items()),
    )


WORLDSENSE = DataSet(
    name="worldsense",
    title="WorldSense: a synthetic benchmark for grounded reasoning in large language models",
    licence="CC BY-NC 4.0",
    licence_url="https://creativecommons.org/licenses/by-nc/4.0/",
    attribution="Benchekroun et al. 2023, arXiv 2311.15930",
    home="https://github.com/facebookresearch/worldsense",
    base_url=f"https://raw.githubusercontent.com/facebookresearch/worldsense/{_WORLDSENSE_COMMIT}/data/worldsense",
    parts=(
        _test_set(
            "test_set",
            "the benchmark proper: six problems, sizes 3 to 5, 87,048 questions",
            "test_set",
            # Not computed from our own copy: the pin that another public evaluation suite recorded for the
            # same address at the same commit.
            "00c94031fc435c5f13156d57fcf61dace875d5e7fa4c218a40029a2eb0f3deb9",
            {"GPT3.5": None, "GPT4": None, "Llama2-chat": None, "Llama2-FT+1M": None},
        ),
        _test_set(
            "memorisation",
            "the six problems in the words of the training sets, 11,232 questions",
            "other_tests/memorisation",
            "b1a22ff81903c9d6b5f30e1ab314fdb4f7cae02ba966d2ea59c8c5923af44937",
            {
                "Llama2-chat": "581c924326ee38ad7ea46a9a7c51b9e28a61a247c5fa5cae61770c51f735ac2d",
                "Llama2-FT+0": "283d1599069d05e81b3d1fa7e6f5e08503e23bbb95d2fb0dbd13ca6736992f44",
                "Llama2-FT+1M": "7728b81584c16a1fd5a05ffe38df4005935beb4189c9bca3dc6adaac4a40fe45",
            },
        ),
        _test_set(
            "ood-size",
            "the six problems with six entities, 9,360 questions",
            "other_tests/ood-size",
            None,
            {"Llama2-chat": None, "Llama2-FT+0": None, "Llama2-FT+1M": None},
        ),
        _test_set(
            "ood-query",
            "questions about the first and the last, 6,480 questions",
            "other_tests/ood-query",
            "d3d481ab53de0403251a873fe8cbf7cdb08ae727fc7f43107b4ac4008c488327",
            {
                "Llama2-chat": "2954ea162a5dd715660d830571ebddffbee80970a33a9b85f8953fb2ae617b66",
                "Llama2-FT+0": "552aa77478cab1b055ba4b2ba12208055e182348b7d5f01165edefa46114f77a",
                "Llama2-FT+1M": "4418ef819e5e974653b30922a1ce7862629074bc7a90742d9ef1e1d3aa9b13d3",
            },
        ),
        _test_set(
            "ood-problem",
            "parallel and perpendicular lines, 5,400 questions",
            "other_tests/ood-problem",
            None,
            {"Llama2-chat": None, "Llama2-FT+0": None, "Llama2-FT+1M": None},
        ),
        Part(
            "training",
            "two sets for fine-tuning, 12,096 and 108,864 questions",
            (
                DataFile(
                    "trials_10k.jsonl.bz2",
                    "training_set/trials_10k.jsonl.bz2",
                    "b9e4148e4786c07d647298dec1e175e2a9e1705ae65721732f73fe8fb3c3baa1",
                ),
                DataFile("trials_100k.jsonl.bz2", "training_set/trials_100k.jsonl.bz2"),
            ),
        ),
    ),
)

_WINOGRANDE_COPY = "genggui001/opencompass/3290907a83a6f8f61ed0733eb4361c76dd46eb97"

WINOGRANDE = DataSet(
    name="winogrande",
    title="WinoGrande 1.1: an adversarial Winograd schema challenge at scale",
    licence="CC BY",
    licence_url="https://github.com/allenai/winogrande#license",
    attribution="Sakaguchi et al. 2019, arXiv 1907.10641",
    home="https://winogrande.allenai.org",
    # Its makers publish one archive (winogrande_1.1.zip). This is a public copy of the single files, whose storage
    # states their checksums; those of train_xs and dev were also found elsewhere, and agree.
    base_url=f"https://media.githubusercontent.com/media/{_WINOGRANDE_COPY}/data/winogrande",
    parts=(
        Part(
            "dev",
            "for evaluation: 1,267 schemas with answers",
            (
                DataFile(
                    "dev.jsonl",
                    "dev.jsonl",
                    "1aeac79cf46a3dcbe59a71ca7e5372a1490cde2b4ae2387dc56f00378104d2e8",
                ),
            ),
        ),
        Part(
            "test",
            "1,767 schemas without answers",
            (
                DataFile(
                    "test.jsonl",
                    "test.jsonl",
                    "82c2b79194039fb847c6d894b7235796c663fdaf84c42c3dc5f0f56b66a28b19",
                ),
            ),
        ),
        Part(
            "train",
            "training sets of 160 (xs) to 40,398 (xl) schemas, and 9,248 debiased ones",
            tuple(
                DataFile(f"train_{size}.jsonl", f"train_{size}.jsonl", checksum)
                for size, checksum in {
                    "xs": "2f159f8216e54cdf835399ac10ebdd66699ca53934f4fc21a42d222512571dae",
                    "s": "959778b5a77819891ba9cbfc591925e94c853c6de3019992e292765176c69daf",
                    "m": "b02e7d92b5e44147ee4d1879fbf0e484510053f06c50a6fa6400265058f3ed42",
                    "l": "4263afcab36b27dc6c3683a60806d3bc11ac593ca1814f27c5b51f9357d399c8",
                    "xl": "5da4d7f6924348ace9e64fd0922d8a7a8e0e14f55cd08005ffb1a3a3d649e36f",
                    "debiased": "c6d40c05ee57ee9ca6c101afd6429b134b779e10bfaf2c3b89109d5f8ea75b89",
                }.items()
            ),
        ),
    ),
)

# Each file's revision is one that is known to have it.
_STATEMENTS_COMMIT = "75de161ca7c48a86250149d6f7ffab55d263e6dd"
_RATINGS_COMMIT = "83140d713a4d7004876189c30ea463cfd0c7f708"

JUDGMENTS = DataSet(
    name="judgments",
    title="A large-scale evaluation of commonsense knowledge in humans and large language models",
    licence="MIT",
    licence_url="https://github.com/Watts-Lab/commonsense-llm-eval/blob/main/LICENSE",
    attribution="Nguyen, Watts & Whiting 2026, PNAS Nexus 5(3) pgag029",
    home="https://github.com/Watts-Lab/commonsense-llm-eval",
    base_url="https://raw.githubusercontent.com/Watts-Lab/commonsense-llm-eval",
    parts=(
        Part(
            "statements",
            "4,407 statements with six features, category and questions",
            (
                DataFile(
                    "statements_and_prompts.csv", f"{_STATEMENTS_COMMIT}/data/statements_and_prompts.csv"
                ),
            ),
        ),
        Part(
            "people",
            "the answers of 2,046 people to both questions, and who they are",
            (
                DataFile(
                    "individual_ratings.csv",
                    f"{_RATINGS_COMMIT}/data/results/individual_ratings.csv",
                    git_blob="fbfc083b11da6057ff5c5e34c17a4dffeb32b0fb",
                ),
                DataFile(
                    "group_ratings.csv",
                    f"{_RATINGS_COMMIT}/data/results/group_ratings.csv",
                    git_blob="6cfd2fb26d7268de60475dc14f782eb6942184b9",
                ),
                DataFile("demographics.csv", f"{_RATINGS_COMMIT}/data/demographics.csv"),
            ),
        ),
        Part(
            "answers",
            "yes or no of 35 models to both questions, and of most people to the first",
            (
                DataFile(
                    "all_models_binarythresh.csv",
                    f"{_RATINGS_COMMIT}/data/results/all_models_binarythresh.csv",
                ),
            ),
        ),
    ),
)

_CHAOSNLI_COPY = "jsbaan/calibration-on-disagreement-data/990e81cacadac5d0268160d1c02bad19d4ddb9a3"


def _pairs(name: str, title: str, sha256: str | None) -> Part:
    """Describe one of the files of ChaosNLI."""
    return Part(name, title, (DataFile(f"chaosNLI_{name}.jsonl", f"chaosNLI_{name}.jsonl", sha256),))


CHAOSNLI = DataSet(
    name="chaosnli",
    title="ChaosNLI: a hundred people's judgments of each pair of sentences",
    licence="CC BY-NC 4.0",
    licence_url="https://creativecommons.org/licenses/by-nc/4.0/",
    attribution="Nie, Zhou & Bansal 2020, EMNLP, arXiv 2010.03532",
    home="https://github.com/easonnie/ChaosNLI",
    # Its makers publish one archive. This is a public copy of the single files.
    base_url=f"https://raw.githubusercontent.com/{_CHAOSNLI_COPY}/data/chaosNLI_v1.0",
    parts=(
        _pairs(
            "alphanli",
            "1,532 pairs of a beginning and an end, with two explanations",
            "f55817ecc11a02ba3030cd7d2c567d23843456809020723abad53f4fde024c9e",
        ),
        _pairs(
            "snli",
            "1,514 premises with a hypothesis, of SNLI",
            "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1",
        ),
        _pairs("mnli_m", "premises with a hypothesis, of MNLI", None),
    ),
)

_BLEND_COMMIT = "2533a64a0027038790d4d2e46d38bf4439560947"

BLEND = DataSet(
    name="blend",
    title="BLEnD: everyday knowledge in diverse cultures and languages",
    licence="CC BY-SA 4.0",
    licence_url="https://creativecommons.org/licenses/by-sa/4.0/",
    attribution="Myung et al. 2024, NeurIPS Datasets and Benchmarks, arXiv 2406.09948",
    home="https://github.com/nlee0212/BLEnD",
    base_url=f"https://raw.githubusercontent.com/nlee0212/BLEnD/{_BLEND_COMMIT}/data/annotations",
    parts=tuple(
        Part(
            name.lower(),
            f"500 open questions about everyday life, answered by people of {country}",
            (DataFile(f"{name}_data.json", f"{name}_data.json", sha256),),
        )
        for name, country, sha256 in (
            ("UK", "the UK", "0cb8ea116988e574d4161bcde51013d2896e5d412f593dc4ad80afe9c8ba01c6"),
            ("US", "the US", "a9da7f3ad4f4c90b7460e1e66be63d1910212fa35678f92778b81b279472ed6a"),
            (
                "Mexico",
                "Mexico, in Spanish",
                "ab36bf638bae6e959e54c456328a167066bfbb96e48ca42d847a386477b677a4",
            ),
        )
    ),
)

_LEWIDI = "https://raw.githubusercontent.com/Le-Wi-Di/le-wi-di.github.io"

LEWIDI = DataSet(
    name="lewidi",
    title="Learning with Disagreements 2025: the labels of every annotator",
    licence="none stated",
    licence_url="https://le-wi-di.github.io",
    attribution="Leonardelli et al. 2025, NLPerspectives, arXiv 2510.08460",
    home="https://le-wi-di.github.io",
    base_url=_LEWIDI,
    parts=tuple(
        Part(
            name.lower(),
            title,
            (DataFile(f"{name}_dev.json", f"{commit}/LeWiDi_3-2025/{name}/{name}_dev.json", sha256),),
        )
        for name, title, commit, sha256 in (
            (
                "VariErrNLI",
                "50 pairs of sentences with labels of inference, several by one person",
                "d87a8f74243973d6154867f0c8dcb2dee82ea994",
                "6d1b5ca80ee4eb79c608de828b386f524cacddc608d0396464c71d728b369efd",
            ),
            (
                "Paraphrase",
                "50 pairs of questions, on a scale of how alike they are",
                "124ad2c2b97b6198db8f1a80008bc48a81675d3a",
                "821f8b142d63c9ccc38cb801fa6ca4cdcfe5049c8bfb151c7d7d3dd025db8e03",
            ),
        )
    ),
)

CATALOGUE: dict[str, DataSet] = {
    data_set.name: data_set for data_set in (WORLDSENSE, WINOGRANDE, JUDGMENTS, CHAOSNLI, BLEND, LEWIDI)
}
"""Every data set by name."""
BY_HAND: dict[str, tuple[str, str, str]] = {
    "pap": (
        "dataset.tsv",
        "https://github.com/AnneroseEichel/PAP",
        "run choices --data dataset.tsv --reader pap",
    ),
    "cloze": (
        "questions_dict.tsv",
        "https://github.com/jpeelle/sentence-prediction",
        "run frames --data questions_dict.tsv",
    ),
    "alignment": (
        "a data.json",
        "https://github.com/nicolemeister/benchmarking-distributional-alignment",
        "run choices --data data.json --reader alignment",
    ),
    "simbench": (
        "SimBenchPop.csv",
        "https://huggingface.co/datasets/pitehu/SimBench",
        "run choices --data SimBenchPop.csv --reader simbench",
    ),
}
"""Data sets that ProbSense reads but has no checked address of: the file, where it is published, and what reads it."""


def find(name: str) -> tuple[DataSet, tuple[Part, ...]]:
    """Find the data set and the parts that a name stands for.

    Parameters
    ----------
    name : str
        A data set (``worldsense``: all its parts) or one part of it (``worldsense/test_set``).

    Raises
    ------
    InputError
        If there is no such data set or part; the message names the nearest one, or says how to get it by hand.
    """
    wanted, _, part = name.partition("/")
    if wanted in BY_HAND:
        file, home, verb = BY_HAND[wanted]
        raise InputError(
            f"{wanted!r} is not downloaded, as its address is not pinned",
            expected=f"{file} from {home}, got by hand, then: probsense {verb}",
        )
    data_set = CATALOGUE.get(wanted)
    if data_set is None:
        raise _unknown(name, [*CATALOGUE, *BY_HAND])
    if not part:
        return data_set, data_set.parts
    for candidate in data_set.parts:
        if candidate.name == part:
            return data_set, (candidate,)
    raise _unknown(name, [f"{wanted}/{candidate.name}" for candidate in data_set.parts])


def _unknown(name: str, known: Collection[str]) -> InputError:
    return InputError(
        f"no data set {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
    )
