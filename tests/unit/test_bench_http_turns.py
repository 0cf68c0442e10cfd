"""Turns of the measurement of the door: what is asked goes on where it ended, and turns count as one."""

from app.cli.bench.http.driving import Driven, Order, join
from app.cli.bench.http.measuring import Asker
from app.cli.bench.http.requests import BARE
from app.cli.bench.http.server import Ports

PORTS = Ports(door=1, bare=2, pid=0, read_busy_seconds=lambda: 0.0)


def test_a_request_is_not_sent_again_before_all_others_were() -> None:
    orders: list[Order] = []

    def drive(order: Order) -> Driven:
        orders.append(order)
        return Driven(1.0, [0.1, 0.1], {200: 2}, 0.5)

    asker = Asker(drive, PORTS, "recall", [b"a", b"b", b"c"])
    for _ in range(3):
        asker.ask(8, 1.0)

    assert [order.requests for order in orders] == [
        [b"a", b"b", b"c"],
        [b"c", b"a", b"b"],
        [b"b", b"c", b"a"],
    ]


def test_what_comes_before_a_turn_is_measured_does_not_count() -> None:
    orders: list[Order] = []
    answers = iter([Driven(1.0, [9.0], {500: 1}, 1.0), Driven(3.0, [0.2, 0.4], {200: 2}, 0.5)])

    def drive(order: Order) -> Driven:
        orders.append(order)
        return next(answers)

    turn = Asker(drive, PORTS, BARE, [b"a", b"b", b"c"]).take_turn(8, 3.0)

    assert turn.driven.latencies == [0.2, 0.4]
    assert [(order.port, order.seconds) for order in orders] == [(2, 1.0), (2, 3.0)]
    assert orders[1].requests == [b"b", b"c", b"a"]


def test_turns_together_are_one_longer_turn() -> None:
    together = join([Driven(1.0, [0.1], {200: 1}, 0.25), Driven(3.0, [0.3, 0.5], {200: 1, 429: 1}, 0.75)])

    assert together == Driven(4.0, [0.1, 0.3, 0.5], {200: 2, 429: 1}, 0.625)
    assert together.rate == 0.75
