"""People of a combination that goes to several groups, dealt to these by lot."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.lots import Draw, drawn_order
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Assignment, Recoding


def dealt(decided: Recoding, frequencies: FrequencySet, draw: Draw) -> Recoding:
    """Deal the people of every split combination to its groups, so that it is known who is where.

    decided: About combinations of quasi-identifiers; one that splits none is given back.
    """
    if not decided.splits:
        return decided
    placed = decided.placement(frequencies)
    order = np.argsort(placed.key, kind="stable")
    place = np.repeat(placed.box[order], placed.people[order])  # by combination
    person = np.repeat(np.arange(len(frequencies)), frequencies.counts)  # a key; by combination
    own = frequencies.combination_of[person]
    split = np.bincount(placed.key, minlength=len(frequencies.combinations)) > 1
    some = np.flatnonzero(split[own])
    drawn = some[drawn_order(person[some], draw)]
    person[some] = person[drawn[np.argsort(own[drawn], kind="stable")]]
    n_places = len(placed.boxes) + 1  # and nowhere
    pairs, n_people = np.unique(person * n_places + place + 1, return_counts=True)
    parts = np.stack([pairs // n_places, pairs % n_places - 1, n_people], axis=1)
    texts = decided.own_texts or None
    return Assignment(frequencies, placed.boxes, parts, texts, placed.on_grid)
