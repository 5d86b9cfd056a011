"""An endpoint that cannot be reached."""

import math

from auditor.endpoints.circuit import Circuit


def broken(threshold=3):
    circuit = Circuit(threshold)
    for _ in range(threshold):
        assert not circuit.take()
    for _ in range(threshold):
        assert not circuit.failed(10.0, is_probe=False)
    return circuit


def test_it_opens_after_so_many_failures_in_a_row():
    circuit = Circuit(3)
    circuit.failed(1.0, is_probe=False)
    circuit.failed(2.0, is_probe=False)
    circuit.heard()
    circuit.failed(3.0, is_probe=False)
    circuit.failed(4.0, is_probe=False)
    assert not circuit.is_open
    circuit.failed(5.0, is_probe=False)
    assert circuit.is_open
    assert circuit.wait_seconds(5.0) == 1.0


def test_one_probe_at_a_time_goes_out():
    circuit = broken()
    assert circuit.take()
    assert circuit.wait_seconds(100.0) == math.inf
    circuit.abandoned()
    assert circuit.wait_seconds(100.0) == 0.0


def test_probes_go_out_after_ever_longer_pauses_and_ten_of_them_give_it_up():
    circuit, now, pauses = broken(), 10.0, []
    for place in range(10):
        pauses.append(circuit.wait_seconds(now))
        now += pauses[-1]
        assert circuit.take()
        assert circuit.failed(now, is_probe=True) == (place == 9)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert circuit.failing_seconds(now) == sum(pauses)


def test_any_word_from_the_endpoint_closes_it():
    circuit = broken()
    circuit.take()
    circuit.heard()
    assert not circuit.is_open
    assert circuit.wait_seconds(10.0) == 0.0
    assert circuit.failing_seconds(10.0) == 0.0


def test_failures_of_calls_that_were_under_way_when_it_opened_change_nothing():
    circuit = broken()
    for _ in range(100):
        assert not circuit.failed(10.5, is_probe=False)
    assert circuit.wait_seconds(10.5) == 0.5
