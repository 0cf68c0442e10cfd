"""A Hypothesis comes of a cycle that is at work, with its first event, and rests on sources as they are.

The dreamer's role could store a guess that no cycle had made of anything. What a statement says is no business of SQL
beyond this: it says of itself that it is only possible, by one of the words that the code looks for.

Lock: SHARE ROW EXCLUSIVE on hypotheses and hypothesis_sources for the moment in which their triggers are made.
"""

from app.kernel.ddl import demand, examine, lift

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None

# A finished run stays as it ended, so what it ends in the transaction that stores the guess is its own.
_GENERATED = r"""
    SELECT FROM public.cycle_runs AS run
    WHERE run.team_id = NEW.team_id AND run.id = NEW.cycle_run_id
      AND (public.is_rewriting(NEW.team_id)
           OR NOT run.dry_run AND (run.status = 'running' OR run.finished_at >= transaction_timestamp())
              AND (NEW.statement ~ '\m(may|might|could)\M'
                   OR NEW.statement ~* '\m(possibly|perhaps|maybe|potentially|conceivably)\M'))
      AND EXISTS (
          SELECT FROM public.hypothesis_sources AS s
          WHERE s.team_id = NEW.team_id AND s.hypothesis_id = NEW.id
            AND (s.is_current OR public.is_rewriting(NEW.team_id)))
      AND EXISTS (
          SELECT FROM public.hypothesis_events AS e
          WHERE e.team_id = NEW.team_id AND e.hypothesis_id = NEW.id AND e.event = 'accepted'
            AND e.cycle_run_id = NEW.cycle_run_id)
"""
_AS_IT_IS = """
    SELECT FROM public.relationships AS r
    WHERE r.team_id = {row}.team_id AND r.id = {row}.relationship_id
      AND (public.is_rewriting({row}.team_id)
           OR r.version = {row}.version AND r.semantic_group_key = {row}.semantic_group_key
              AND r.owner_profile_id = {row}.owner_profile_id
              AND (r.tier = 'candidate') = {row}.is_candidate)
"""
_BECAUSE = "its source is another"


def upgrade() -> None:
    demand(
        "hypotheses",
        "hypotheses_come_of_a_cycle",
        after="INSERT",
        when="true",
        exists=_GENERATED,
        because="no cycle made it of anything",
    )
    examine(
        "hypothesis_sources",
        "hypothesis_sources_are_as_they_are",
        exists=_AS_IT_IS.format(row="fresh"),
        because=_BECAUSE,
    )
    demand(
        "hypothesis_sources",
        "hypothesis_sources_are_seen_as_they_are",
        after="UPDATE",
        when="NEW.is_current AND (OLD.version, OLD.is_candidate, OLD.is_current)"
        " IS DISTINCT FROM (NEW.version, NEW.is_candidate, NEW.is_current)",
        exists=_AS_IT_IS.format(row="NEW"),
        because=_BECAUSE,
    )


def downgrade() -> None:
    lift(
        "hypothesis_sources",
        "hypothesis_sources_are_seen_as_they_are",
        "hypothesis_sources_are_as_they_are",
    )
    lift("hypotheses", "hypotheses_come_of_a_cycle")
