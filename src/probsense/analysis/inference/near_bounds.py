"""Computes intervals of means that lie near a bound of what was observed, where observations are skewed."""

from __future__ import annotations

from probsense.analysis.inference.proportions import Ends

FAR, NEAR = 0.25, 0.5
"""An interval that reaches less of the way to the nearer bound than ``FAR`` stays as it is; from ``NEAR`` on, all of
its shift counts."""
HALVINGS = 60
"""Enough to find an end to the last digit."""


def score_interval(mean: float, stderr: float, half: float, n: int) -> Ends:
    """Compute the score interval of a mean of values between 0 and 1, which are as skewed as beta distributed ones.

    A score interval holds every μ from which the mean v is at most as far away as the error *at μ* allows (Wilson
    1927). The error is known at v only. Elsewhere it is taken for proportional to (μ(1 − μ))^(1/(1 + ρ²)), where ρ² =
    n·se²/(v(1 − v)) is the variance of one observation as a share of the largest that is possible. The variance V and
    its slope then give the third moment V·V′ (Morris 1982, Annals of Statistics 10, 65–80) that the beta distribution
    with this mean and variance has. For values of 0 and 1, ρ² is 1, and this is Wilson's interval; for values that
    crowd at 0 without reaching it, the error is proportional to μ.

    Parameters
    ----------
    mean : float
        v, above 0 and below 1.
    stderr : float
        se.
    half : float
        Half the width of the ordinary interval: a quantile of Student's t, times se.
    n : int
        Independent observations.

    Returns
    -------
    Ends
    """
    room = mean * (1 - mean)
    power = 1 / (1 + min(n * stderr**2 / room, 1.0))

    def end(outer: float) -> float:
        inner = mean
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            if abs(mean - middle) <= half * (middle * (1 - middle) / room) ** power:
                inner = middle
            else:
                outer = middle
        return inner

    return Ends(end(0.0), end(1.0))


def away_from_bounds(mean: float, stderr: float, half: float, n: int) -> Ends:
    """Shift the interval v ± half of a mean of values between 0 and 1 away from the bound that it reaches for.

    The shifted interval is :func:`score_interval`. It replaces the ordinary one if that reaches more than a half of the
    way to the nearer bound, and not at all below a quarter; between them, the ends move from one to the other in
    proportion. It never replaces an interval that holds it.

    Parameters
    ----------
    mean, stderr, half, n
        As for :func:`score_interval`; the mean may be 0 or 1.

    Returns
    -------
    Ends
        Between 0 and 1.
    """
    plain = Ends(max(mean - half, 0.0), min(mean + half, 1.0))
    nearer = min(mean, 1 - mean)
    if nearer <= 0 or half <= FAR * nearer:
        return plain
    shifted = score_interval(mean, stderr, half, n)
    if plain.low <= shifted.low and shifted.high <= plain.high:
        return plain
    part = min((half / nearer - FAR) / (NEAR - FAR), 1.0)
    return Ends(*(a + part * (b - a) for a, b in zip(plain, shifted, strict=True)))
