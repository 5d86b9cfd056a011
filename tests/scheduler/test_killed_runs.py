from pathlib import Path

from tests.killing import kill_and_resume


def test_a_run_killed_at_random_moments_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    toll = kill_and_resume(tmp_path, kills=3, repetitions=5, concurrency=16, seed=7)
    assert toll.kills == 3
    assert (toll.lost, toll.doubled, toll.missing) == (0, 0, 0)
    # What the server answered and the store does not hold is at most what was in flight.
    assert max(toll.unanswered) <= 16
    assert toll.repeated <= 3 * 16
    # Every call that was made twice is one that the store had listed as of unknown outcome.
    assert toll.unlisted == 0
