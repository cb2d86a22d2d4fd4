"""The pq curve of published models, against all their subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probsense.analysis.agreement.pq_curves import pq_curve, same_answer


@pytest.mark.reference
@pytest.mark.parametrize("known", [False, True])
def test_it_is_the_best_of_all_subsets_of_models(known: bool, reference_data: Path) -> None:
    table = pl.read_parquet(reference_data / "judgments" / "binary_answers.parquet")
    names = [
        name.removesuffix("_q1") for name in table.columns if name.endswith("_q1") and name != "human_q1"
    ]
    q1, q2 = (
        table.select([f"{name}_{question}" for name in names]).to_numpy().T.astype(float)
        for question in ("q1", "q2")
    )
    held = same_answer(q1, q2 if known else None)
    everyone = pq_curve(held, np.random.default_rng(0))
    np.testing.assert_array_equal(everyone.shared, everyone.bound)
    for shared, group in zip(everyone.shared, everyone.group, strict=True):
        assert held[:, group].all(axis=1).sum() == shared
    # Every subset of some of them, by what each adds to a smaller one, in packed bits.
    few = held[:, ::2][:, :14]
    packed = np.packbits(few.transpose(1, 0, 2).reshape(few.shape[1], -1), axis=1)
    subsets = np.full((1, packed.shape[1]), 255, dtype=np.uint8)
    sizes = np.zeros(1, dtype=int)
    for row in packed:
        subsets, sizes = np.concatenate([subsets, subsets & row]), np.concatenate([sizes, sizes + 1])
    ones = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)
    shared = np.array([ones[subset].sum() for subset in subsets])
    curve = pq_curve(few, np.random.default_rng(0))
    assert curve.shared.tolist() == [shared[sizes == k].max() for k in range(1, len(packed) + 1)]
    assert (everyone.shared[: len(packed)] >= curve.shared).all()
