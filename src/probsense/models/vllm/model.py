"""A causal language model that an engine of vLLM runs, within the prompt formats of the models of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probsense.core.records import LabelRequest, LabelResponse, ScoreRequest, ScoreResponse
from probsense.models.align import AlignedTokens
from probsense.models.base import Batch
from probsense.models.hf import HuggingFaceModel
from probsense.models.reading import Need
from probsense.models.vllm.verbs import label_mass, score


@dataclass(frozen=True)
class VllmModel(HuggingFaceModel):
    """A language model with its tokenizer, whose tokens an engine of vLLM reads and writes."""

    def _score_tokens(
        self,
        needs: Sequence[Need],
        aligned: Sequence[Sequence[AlignedTokens]],
        asked: Sequence[ScoreRequest],
    ) -> Iterator[Batch[ScoreResponse]]:
        return score(self.runner, self.encoder.tokenizer, needs, aligned, asked)

    def _mass_of_tokens(
        self, needs: Sequence[Need], asked: Sequence[LabelRequest]
    ) -> Iterator[Batch[LabelResponse]]:
        return label_mass(self.runner, self._label_reader, needs, asked)
