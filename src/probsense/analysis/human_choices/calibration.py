"""Pools the options of all questions: of those that a model gives a share of q, how many people choose them?"""

from __future__ import annotations

import numpy as np

from probsense.analysis.human_choices.distributions import Distributions
from probsense.analysis.human_choices.measures import model_entropy, people_entropy
from probsense.analysis.inference.correlations import RankCorrelation, spearman
from probsense.analysis.inference.proportions import ShareCurve, share_curve


def calibration(pair: Distributions, *, level: float = 0.95) -> ShareCurve:
    """Sort the options of all questions into bins of the model's share, and compare these with people's.

    Each question counts as one, divided evenly among its options, and the intervals of the bins treat questions as
    independent.

    Parameters
    ----------
    pair : Distributions
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    ShareCurve
        The mean of ``gap``, over the questions whose shares are known, is the calibration error.
    """
    known = np.asarray(~np.isnan(pair.p + pair.q).any(axis=1))
    own = pair.where(known)
    weight = own.exists / own.exists.sum(axis=1, keepdims=True)
    return share_curve(own.q, own.p, weight, level=level)


def entropy_correlation(pair: Distributions) -> RankCorrelation:
    """Correlate the ranks of the model's entropies and of people's: is it unsure where people disagree?

    Parameters
    ----------
    pair : Distributions

    Returns
    -------
    RankCorrelation
        Of the questions whose shares are known; NaN where either does not vary. Few people make it too small, because
        their entropies are noisy.
    """
    ours, theirs = people_entropy(pair), model_entropy(pair)
    known = ~np.isnan(ours + theirs)
    return spearman(ours[known], theirs[known])
