"""Finds whom to forget."""

from __future__ import annotations

from probsense.core.errors import InputError
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.tokens import stored_id


def find(storage: Storage, who: str | int) -> tuple[int, str]:
    """Find a person by the id from the address or by number.

    Parameters
    ----------
    storage : Storage
    who : str or int
        An id, hashed or not where the study hashes ids; or the number of a person, also of one that was forgotten.

    Returns
    -------
    (int, str)
        The person's number, and what is known of them, as a phrase.

    Raises
    ------
    InputError
        If there is nobody.
    """
    if isinstance(who, int):
        if storage.is_forgotten(who):
            return who, f"what is left of person {who}"
        person, called = storage.find_number(who), f"the number {who}"
    else:
        key = storage.key if storage.study().hash_ids else None
        person = storage.find_participant(stored_id(who, key)) or storage.find_participant(who)
        called = f"the id {who!r}"
    if person is None:
        raise InputError(
            f"there is nobody with {called}",
            path=storage.path,
            expected="an id or a number as in participants.csv; --person if they are removed but left traces",
        )
    pages = len(storage.answers_of(person.number))
    return person.number, f"person {person.number} with the answers to {pages:,} pages"
