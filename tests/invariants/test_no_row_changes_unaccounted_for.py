"""What is final stays so, what counts only rises, and each change has the event that accounts for it.

Each attempt is bare SQL of a role that may change the column, and names the rule that refuses it.
"""

from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.kernel.database import Database, Role
from tests.conftest import MakeTeam
from tests.databases import admin_url
from tests.invariants.attempts import acting_as, refusing_rule
from tests.invariants.attempts_on_decisions import DECISIONS
from tests.invariants.attempts_on_guesses import GUESSES
from tests.invariants.attempts_on_positions import POSITIONS
from tests.invariants.changed_team import ChangedTeam, make_changed_team
from tests.invariants.test_positions_are_as_strong_as_their_supports import TIERS
from tests.invariants.test_the_database_holds_rows_to_their_decisions import EVIDENCE

ATTEMPTS = (*POSITIONS, *DECISIONS, *GUESSES)


@pytest.fixture(scope="module")
async def changed(database: Database, unruled: Database, make_team: MakeTeam) -> ChangedTeam:
    return await make_changed_team(database, unruled, await make_team())


@pytest.mark.parametrize(("role", "statements", "rule"), ATTEMPTS)
async def test_no_role_changes_a_row_past_what_accounts_for_it(
    changed: ChangedTeam, database_name: str, role: Role, statements: list[LiteralString], rule: str | None
) -> None:
    names = {
        "team": sql.Literal(changed.caller.team_id),
        "profile": sql.Literal(changed.caller.profile_id),
        "established": sql.Literal(changed.established),
        "candidate": sql.Literal(changed.candidate),
        "merged": sql.Literal(changed.merged_entity),
    }
    with acting_as(database_name, role, changed.caller.team_id) as connection:
        assert refusing_rule(connection, *(sql.SQL(one).format(**names) for one in statements)) == rule


@pytest.mark.parametrize("kind", ["placement", "of another day"])
def test_the_dreamer_touches_no_work_but_its_own(changed: ChangedTeam, database_name: str, kind: str) -> None:
    with acting_as(database_name, "app", changed.caller.team_id) as connection:
        connection.execute(
            "INSERT INTO work_items (team_id, kind, item_id, run_at) VALUES (%s, %s, 'waits', now())",
            [changed.caller.team_id, kind],
        )
        connection.execute("SELECT set_config('role', 'densemem_dreamer', true)")
        finished = connection.execute(
            "UPDATE work_items SET finished_at = now(), epoch = epoch + 1 WHERE item_id = 'waits'"
        )
        assert finished.rowcount == 0
        assert connection.execute("SELECT FROM work_items WHERE item_id = 'waits'").fetchall() == []


@pytest.mark.parametrize("role", ["app", "dreamer"])
def test_no_role_says_when_a_row_came_or_which_number_an_event_has(database_name: str, role: Role) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        chosen = connection.execute(CHOSEN, [f"densemem_{role}"]).fetchall()
    assert chosen == []


CHOSEN: LiteralString = """
    SELECT c.relname, a.attname FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      AND (a.attidentity <> '' OR a.attname IN ('created_at', 'opened_at'))
      AND has_column_privilege(%s, c.oid, a.attnum, 'INSERT')
"""


def test_every_rule_is_tried(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rules = {rule for (rule,) in connection.execute(RULES).fetchall()}
    assert len(rules) > 30
    assert rules == {rule for *_, rule in (*ATTEMPTS, *EVIDENCE, *TIERS) if rule in rules}


RULES: LiteralString = """
    SELECT t.tgname FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND p.proname IN ('refuse_change', t.tgname)
"""
