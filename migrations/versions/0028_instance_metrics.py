"""What an operator's monitoring may know of the whole instance: counts and ages, and of no team.

A definer function, because row security lets nobody else add up over teams. What has ended is counted over the
last day, from indexes on time, so a scrape costs the day's runs and not the history's.

Lock: SHARE on cycle_runs, spending_charges and verifier_usage while their small indexes are built.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import role

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "cycle_runs_ended", "cycle_runs", ["finished_at"], postgresql_where=sa.text("finished_at IS NOT NULL")
    )
    op.create_index("spending_charges_by_time", "spending_charges", ["created_at"])
    op.create_index("verifier_usage_by_day", "verifier_usage", ["day"])
    op.execute("""
        CREATE FUNCTION instance_metrics()
        RETURNS TABLE (name text, first_label text, second_label text, value double precision)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            WITH moment AS (
                SELECT clock_timestamp() AS now, clock_timestamp() - interval '1 day' AS yesterday
            ), ended AS MATERIALIZED (
                SELECT run.* FROM public.cycle_runs AS run, moment
                WHERE run.finished_at > moment.yesterday ORDER BY run.finished_at DESC LIMIT 50000
            ), open_items AS MATERIALIZED (
                SELECT kind, run_at, lease_expires_at FROM public.work_items
                WHERE finished_at IS NULL LIMIT 100000
            ), spent AS MATERIALIZED (
                SELECT 'dream' AS purpose, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                       cost_usd
                FROM public.spending_charges, moment WHERE created_at > moment.yesterday
                UNION ALL
                SELECT 'verify', input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd
                FROM public.verifier_usage, moment WHERE day >= (moment.now AT TIME ZONE 'UTC')::date
            )
            SELECT 'runs_live', status, '', count(*)::float8 FROM public.cycle_runs
            WHERE status IN ('queued', 'running', 'waiting') GROUP BY status
            UNION ALL
            SELECT 'runs_ended', status, trigger, count(*) FROM ended GROUP BY status, trigger
            UNION ALL
            (SELECT 'run_reasons', status, coalesce(error_code, reason), count(*) FROM ended
             WHERE coalesce(error_code, reason) IS NOT NULL GROUP BY 2, 3 ORDER BY 4 DESC LIMIT 50)
            UNION ALL
            SELECT 'funnel', step.name, '', coalesce(sum(step.items), 0)
            FROM ended CROSS JOIN LATERAL (VALUES
                ('eligible', eligible), ('premises', premises), ('groups', groups), ('generated', generated),
                ('rejected', rejected), ('deduplicated', deduplicated), ('reinforced', reinforced),
                ('persisted', persisted)
            ) AS step (name, items) GROUP BY step.name
            UNION ALL
            (SELECT 'rejections', refused ->> 'reason', '', sum((refused ->> 'count')::float8)
             FROM ended CROSS JOIN LATERAL jsonb_array_elements(rejections) AS refused
             GROUP BY 2 ORDER BY 4 DESC LIMIT 50)
            UNION ALL
            SELECT 'seconds_since_finished', '', '', extract(epoch FROM moment.now - finished_at)::float8
            FROM moment CROSS JOIN LATERAL (
                SELECT finished_at FROM public.cycle_runs
                WHERE finished_at IS NOT NULL
                  AND (status IN ('succeeded', 'partially_rejected')
                       OR status = 'skipped' AND reason IN ('no_eligible_inputs', 'inputs_unchanged'))
                ORDER BY finished_at DESC LIMIT 1
            ) AS latest
            UNION ALL
            SELECT 'heartbeat_age', '', '',
                   coalesce(max(extract(epoch FROM moment.now - coalesce(heartbeat_at, started_at))), 0)::float8
            FROM moment LEFT JOIN public.cycle_runs ON status = 'running'
            UNION ALL
            SELECT 'queue_depth', kind, CASE
                       WHEN lease_expires_at > now THEN 'leased' WHEN lease_expires_at IS NOT NULL THEN 'expired'
                       WHEN run_at <= now THEN 'due' ELSE 'later' END AS state, count(*)
            FROM open_items, moment GROUP BY kind, state
            UNION ALL
            SELECT 'oldest_due', kind, '', extract(epoch FROM max(now - run_at))::float8
            FROM open_items, moment WHERE lease_expires_at IS NULL AND run_at <= now GROUP BY kind
            UNION ALL
            SELECT 'lease_overdue', kind, '', extract(epoch FROM max(now - lease_expires_at))::float8
            FROM open_items, moment WHERE lease_expires_at <= now GROUP BY kind
            UNION ALL
            SELECT 'teams', '', '', count(*) FROM public.teams
            UNION ALL
            SELECT 'teams_overdue', '', '', count(*) FROM public.dream_schedules, moment
            WHERE next_due_at < moment.now - interval '15 minutes'
            UNION ALL
            SELECT 'tokens', purpose, kind.name, sum(kind.tokens)
            FROM spent CROSS JOIN LATERAL (VALUES
                ('input', input_tokens), ('output', output_tokens), ('cache_read', cache_read_tokens),
                ('cache_write', cache_write_tokens)
            ) AS kind (name, tokens) GROUP BY purpose, kind.name
            UNION ALL
            SELECT 'cost_usd', purpose, '', sum(cost_usd)::float8 FROM spent GROUP BY purpose
        $$
    """)
    op.execute("REVOKE ALL ON FUNCTION instance_metrics() FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION instance_metrics() TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION instance_metrics()")
    op.drop_index("verifier_usage_by_day", table_name="verifier_usage")
    op.drop_index("spending_charges_by_time", table_name="spending_charges")
    op.drop_index("cycle_runs_ended", table_name="cycle_runs")
