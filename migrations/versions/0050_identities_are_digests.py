"""What rows are known by is what their content makes of it: digests of evidence, group keys, targets.

Recall folds positions by their group key, conflicts and independence go by it, and an unchanged document is known by
its digest: a row that is filed under another's key would be taken for it.

Lock: SHARE ROW EXCLUSIVE on relationships and evidence for the moment in which their triggers are made.
"""

from alembic import op

from app.kernel.ddl import examine, lift

revision = "0050"
down_revision = "0053"
branch_labels = None
depends_on = None

_DIGESTED = "SELECT WHERE fresh.content_digest = encode(sha256(public.digest_part(fresh.content)), 'hex')"
# OFFSET 0 keeps the planner at one look by key.
_IDENTIFIED = """
    SELECT FROM (
        SELECT p.is_symmetric, p.inverse_key FROM public.predicates AS p
        WHERE p.team_id = fresh.team_id AND p.predicate_key = fresh.predicate_key
          AND p.version = fresh.predicate_version OFFSET 0
    ) AS known
    WHERE public.identities_of(
        fresh.team_id, fresh.subject_entity_id, fresh.predicate_key,
        coalesce(fresh.object_entity_id, fresh.object_value_id), fresh.polarity, fresh.scope,
        known.is_symmetric, known.inverse_key) = ARRAY[fresh.target_identity, fresh.semantic_group_key]
"""


def upgrade() -> None:
    # Each part is preceded by its length, so no two lists of parts are one text of bytes.
    op.execute("""
        CREATE FUNCTION digest_part(part text) RETURNS bytea LANGUAGE sql IMMUTABLE
        RETURN int8send(octet_length(part)::bigint) || convert_to(part, 'UTF8')
    """)
    # A symmetric predicate sorts its ends; of an inverse pair the key that sorts first says the direction.
    op.execute("""
        CREATE FUNCTION identities_of(team text, subject text, key text, object text, polarity text, scope text,
                                      is_symmetric boolean, inverse_key text)
        RETURNS text[] LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
        DECLARE
            edge bytea;
        BEGIN
            IF is_symmetric AND object COLLATE "C" < subject THEN
                edge := public.digest_part(object) || public.digest_part(key) || public.digest_part(subject);
            ELSIF inverse_key COLLATE "C" < key THEN
                edge := public.digest_part(object) || public.digest_part(inverse_key)
                        || public.digest_part(subject);
            ELSE
                edge := public.digest_part(subject) || public.digest_part(key) || public.digest_part(object);
            END IF;
            RETURN ARRAY[
                encode(sha256(edge), 'hex'),
                encode(sha256(public.digest_part(team) || edge || public.digest_part(polarity)
                              || public.digest_part(coalesce('=' || scope, ''))), 'hex')];
        END $$
    """)
    examine(
        "relationships",
        "relationships_are_known_by_what_they_say",
        exists=_IDENTIFIED,
        because="its group key or target is not that of what it says",
    )
    examine(
        "evidence",
        "evidence_is_known_by_its_words",
        exists=_DIGESTED,
        because="its digest is not that of its words",
    )


def downgrade() -> None:
    lift("evidence", "evidence_is_known_by_its_words")
    lift("relationships", "relationships_are_known_by_what_they_say")
    op.execute("DROP FUNCTION identities_of(text, text, text, text, text, text, boolean, text)")
    op.execute("DROP FUNCTION digest_part(text)")
