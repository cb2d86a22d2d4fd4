"""Made-up people and models, with everything awkward that real ones bring."""

import numpy as np
import pytest

from probsense.analysis.agreement.people import People

STATEMENTS, PEOPLE, MODELS = 40, 25, 4


@pytest.fixture
def people():
    """Answers at random, in no order, with gaps: a statement and a person without any, ties, few raters."""
    rng = np.random.default_rng(5)
    asked = rng.random((STATEMENTS, PEOPLE)) < 0.3
    asked[0] = asked[:, 3] = False
    asked[1] = asked[2] = False
    asked[1, 7] = True
    asked[2, [4, 5, 6, 8]] = True
    asked[7:11] = False
    asked[7:9, [1, 2]] = asked[9:11, [10, 11, 12]] = True
    statement, person = np.nonzero(asked)
    leaning = rng.random(STATEMENTS)
    q1 = (rng.random(len(statement)) < leaning[statement]).astype(np.float64)
    q2 = (rng.random(len(statement)) < leaning[statement]).astype(np.float64)
    q1[statement == 2] = [0, 0, 1, 1]
    q1[(rng.random(len(q1)) < 0.05) & (statement > 10)] = np.nan
    q2[rng.random(len(q2)) < 0.1] = np.nan
    q2[statement == 3] = np.nan
    order = rng.permutation(len(statement))
    return People(statement[order], person[order], q1[order], q2[order], STATEMENTS, PEOPLE)


@pytest.fixture
def p():
    """Probabilities of "yes" of models to both questions, with a tie and no gap."""
    rng = np.random.default_rng(6)
    p1, p2 = rng.random((2, MODELS, STATEMENTS))
    p1[0, 5] = p2[1, 6] = 0.5
    return p1, p2


@pytest.fixture
def answers(p):
    """The answers of the same models: ties, and one model with gaps."""
    q1, q2 = ((np.sign(one - 0.5) + 1) / 2 for one in p)
    q1[3, ::7] = q2[3, 1::5] = np.nan
    return q1, q2


@pytest.fixture
def binary(p):
    """The answers of the same models, 0 or 1 throughout."""
    return tuple((one >= 0.5).astype(np.float64) for one in p)
