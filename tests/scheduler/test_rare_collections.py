"""The collector of cycles is left as it was found, however the run ends."""

import gc

import pytest

from auditor.scheduler.cycles import rare_collections


@pytest.fixture
def usual():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.parametrize("error", [None, RuntimeError("it ends badly")])
def test_looks_are_rare_inside_and_as_before_afterwards(usual, error):
    try:
        with rare_collections():
            assert gc.get_threshold()[0] > usual[0]
            assert gc.get_freeze_count() > 0
            if error:
                raise error
    except RuntimeError:
        pass
    assert gc.get_threshold() == usual
    assert gc.get_freeze_count() == 0
