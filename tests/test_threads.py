"""Work on several cores: the order of the parts, errors, and an end that leaves nothing running."""

import threading
import time

import pytest

from sfumato.threads import cores, in_threads


def test_results_come_in_the_order_of_the_parts():
    def work(part):
        time.sleep(0.001 * (7 - part))
        return part, threading.get_ident()

    found = list(in_threads(work, range(7)))
    assert [part for part, _ in found] == list(range(7))
    assert len({thread for _, thread in found}) == min(cores(), 7)


def test_one_part_needs_no_thread():
    assert list(in_threads(lambda part: threading.get_ident(), [0])) == [threading.get_ident()]
    assert list(in_threads(abs, [])) == []


def test_an_error_of_a_part_is_raised_and_the_rest_is_not_begun():
    begun = []

    def work(part):
        begun.append(part)
        if part == 0:
            raise MemoryError
        time.sleep(0.01)

    before = threading.active_count()
    with pytest.raises(MemoryError):
        list(in_threads(work, range(1000)))
    assert len(begun) < 1000
    assert threading.active_count() == before
