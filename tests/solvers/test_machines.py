"""Interpreters of the two machines on programs whose runs are known by hand."""

import pytest

from solvers.machines import BLANK, SYMBOLS, Transition, TuringMachine, run_post, run_turing


def test_input_pairs_are_read_back_as_output():
    assert run_post(["#"], (1, 0, 1), 5).output == (1, 0, 1)
    assert run_post(["AR", "AR", "#"], (1, 0, 1), 5).output == (0, 1)
    assert run_post(["AR", "#"], (0, 1), 5).output == ()


def test_events_tell_operations_jumps_taken_and_jumps_not_taken():
    run = run_post([("A!", 2), "#", "A1", ("A!", -1), ("A?", -3)], (), 10)
    assert run.events == (2, "A1", "skip", -3)
    assert (run.ended, run.steps, run.output) == ("halt", 5, (0,))


def test_tapes_are_two_way_infinite_and_separate():
    program = ["AL", "AL", "A1", "B1", "A0", ("B?", 2), "#", "BL", ("B!", -2)]
    run = run_post(program, (), 20)
    assert run.ended == "halt"
    assert run.steps == 9


@pytest.mark.parametrize("offset", [-1, 5])
def test_a_counter_outside_the_program_is_stuck(offset):
    assert run_post([("A!", offset)], (), 9).ended == "stuck"


def test_a_loop_meets_the_limit():
    run = run_post(["AR", ("A!", -1)], (), 7)
    assert (run.ended, run.steps, len(run.events)) == ("limit", 7, 7)


def incrementer():
    """Binary increment, least bit first."""
    rules = {}
    for a in SYMBOLS:
        for b in SYMBOLS:
            rules[0, a, b] = Transition(0, ("0", b), (1, 0)) if a == "1" else Transition(1, ("1", b), (-1, 0))
            rules[1, a, b] = Transition(None, (a, b), (1, 0)) if a == BLANK else Transition(1, (a, b), (-1, 0))
    return TuringMachine(2, rules)


@pytest.mark.parametrize("n", range(1, 40))
def test_a_binary_increment_agrees_with_integers(n):
    bits = [int(c) for c in reversed(f"{n:b}")]
    run = run_turing(incrementer(), bits, 100)
    assert run.halted
    assert sum(bit << i for i, bit in enumerate(run.output)) == n + 1


def test_a_turing_machine_that_runs_on_meets_the_limit():
    rules = {(0, a, b): Transition(0, (a, b), (1, 1)) for a in SYMBOLS for b in SYMBOLS}
    run = run_turing(TuringMachine(1, rules), (1,), 50)
    assert (run.halted, run.steps) == (False, 50)
