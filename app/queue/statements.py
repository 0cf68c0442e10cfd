"""The SQL of leases. Each is one statement, and each has a test that reads its plan with stale statistics too.

Owner statements name their row by primary key and epoch and nothing that an index is about: a condition on
`finished_at` there makes the planner, where statistics are stale, walk the partial index instead.
"""

from typing import LiteralString

ENQUEUE: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at)
    VALUES (%(team_id)s, %(kind)s, %(item_id)s, coalesce(%(run_at)s, clock_timestamp()))
"""

ENQUEUE_NEW: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at)
    VALUES (%(team_id)s, %(kind)s, %(item_id)s, clock_timestamp())
    ON CONFLICT (team_id, kind, item_id) DO NOTHING
"""

WAKE: LiteralString = "SELECT pg_notify(%(channel)s, %(kind)s)"

# The teams stand in a ring, and `after` is the one that was served last: from there on the index gives the next
# team with unfinished items, and its first item that is due and free. It stops at the limit, so a lease costs a
# few index probes, however long anybody's backlog is. What is leased stands at the head of its team's line, where
# an item whose owner has died is the next one again; a lease changes no indexed column, so its update is HOT.
# Ordered by the whole index, so that no plan over the primary key, which holds the finished rows too, is as good.
# A team that is closed is passed by: one look by its key, for no more teams than the limit lets in.
# SKIP LOCKED passes by whatever another worker is leasing or finishing right now.
LEASE_DUE: LiteralString = """
    WITH RECURSIVE ring AS (
        SELECT %(after)s::text AS team_id, 0 AS lap, false AS is_team
        UNION ALL
        SELECT coalesce(next.team_id, ''),
               CASE WHEN next.team_id IS NULL THEN ring.lap + 1 ELSE ring.lap END,
               next.team_id IS NOT NULL
        FROM ring LEFT JOIN LATERAL (
            SELECT team_id FROM work_items
            WHERE kind = %(kind)s AND finished_at IS NULL AND team_id > ring.team_id
            ORDER BY team_id, run_at LIMIT 1
        ) AS next ON true
        WHERE ring.lap = 0 OR ring.lap = 1 AND next.team_id <= %(after)s
    ), chosen AS (
        SELECT due.team_id, due.item_id
        FROM ring CROSS JOIN LATERAL (
            SELECT team_id, item_id FROM work_items
            WHERE kind = %(kind)s AND finished_at IS NULL AND team_id = ring.team_id
              AND run_at <= statement_timestamp()
              AND (lease_expires_at IS NULL OR lease_expires_at <= statement_timestamp())
            ORDER BY run_at LIMIT 1
            FOR UPDATE SKIP LOCKED
        ) AS due
        WHERE ring.is_team
          AND (SELECT closed_at FROM teams WHERE teams.id = ring.team_id) IS NULL
        LIMIT %(limit)s
    )
    UPDATE work_items AS item
    SET epoch = item.epoch + 1,
        attempt = item.attempt + CASE WHEN item.lease_expires_at IS NULL THEN 0 ELSE 1 END,
        worker = %(worker)s,
        lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM chosen
    WHERE item.team_id = chosen.team_id AND item.kind = %(kind)s AND item.item_id = chosen.item_id
    RETURNING item.team_id, item.kind, item.item_id, item.epoch, item.attempt, item.worker
"""

# The head of each team's line: what is leased, and the first that is not. Only teams with unfinished items cost.
SECONDS_UNTIL_DUE: LiteralString = """
    WITH RECURSIVE team AS (
        SELECT '' AS team_id
        UNION ALL
        SELECT next.team_id
        FROM team CROSS JOIN LATERAL (
            SELECT team_id FROM work_items
            WHERE kind = %(kind)s AND finished_at IS NULL AND team_id > team.team_id
            ORDER BY team_id, run_at LIMIT 1
        ) AS next
    )
    SELECT extract(epoch FROM min(head.due_at) - clock_timestamp())::float8 AS seconds
    FROM team CROSS JOIN LATERAL (
        SELECT coalesce(lease_expires_at, run_at) AS due_at FROM work_items
        WHERE kind = %(kind)s AND finished_at IS NULL AND team_id = team.team_id
        ORDER BY run_at LIMIT 8
    ) AS head
    WHERE (SELECT closed_at FROM teams WHERE teams.id = team.team_id) IS NULL
"""

RENEW: LiteralString = """
    UPDATE work_items SET lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

HOLD: LiteralString = """
    SELECT item_id FROM work_items
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    FOR UPDATE
"""

FINISH: LiteralString = """
    UPDATE work_items SET finished_at = clock_timestamp(), lease_expires_at = NULL, worker = NULL
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

HAND_BACK: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, attempt = attempt + %(spent)s, lease_expires_at = NULL, worker = NULL,
        run_at = clock_timestamp() + make_interval(secs => %(delay_seconds)s)
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND epoch = %(epoch)s
      AND lease_expires_at > clock_timestamp()
    RETURNING item_id
"""

# `finished_at IS NULL` would be the partial index' own condition; this says the same without inviting it.
CANCEL: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, finished_at = clock_timestamp(), lease_expires_at = NULL, worker = NULL
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s
      AND coalesce(finished_at, 'infinity') = 'infinity'
"""

LOCK_ITEM: LiteralString = """
    SELECT item_id FROM work_items
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s FOR UPDATE
"""

REOPEN: LiteralString = """
    UPDATE work_items
    SET epoch = epoch + 1, attempt = 0, finished_at = NULL, run_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND kind = %(kind)s AND item_id = %(item_id)s AND finished_at IS NOT NULL
"""
