"""Tables of what can be related: predicates, entities, typed values."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Computed, Index, UniqueConstraint, literal_column, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key, team_reference
from app.ledger.vocabulary import Cardinality, EntityKind, PredicateState, RelationshipKind, ValueType


class PredicateVersion(Base):
    """A registered relation, one version of it; Relationships and Hypotheses refer to the version they used."""

    __tablename__ = "predicates"

    team_id: Mapped[str] = team_key()
    predicate_key: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    is_current: Mapped[bool]
    label: Mapped[str]
    aliases: Mapped[list[str]]
    allowed_subject_kinds: Mapped[list[str]]
    allowed_object_kinds: Mapped[list[str]]
    allowed_value_types: Mapped[list[str]]
    relationship_kind: Mapped[str]
    current_cardinality: Mapped[str]
    is_symmetric: Mapped[bool]
    inverse_key: Mapped[str | None]
    verb_phrase: Mapped[str]
    lifecycle_state: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("predicates_team"),
        CheckConstraint("predicate_key ~ '^[a-z][a-z0-9_]{0,63}$'", name="key_is_a_word"),
        one_of("relationship_kind", RelationshipKind),
        one_of("current_cardinality", Cardinality),
        one_of("lifecycle_state", PredicateState),
        CheckConstraint("NOT (is_symmetric AND inverse_key IS NOT NULL)", name="symmetric_has_no_inverse"),
        Index(
            "predicates_one_current",
            "team_id",
            "predicate_key",
            unique=True,
            postgresql_where=text("is_current"),
        ),
    )


class PredicateName(Base):
    """Every name of a predicate, in the forms of its verb: one name leads to one predicate."""

    __tablename__ = "predicate_names"

    team_id: Mapped[str] = team_key()
    folded_name: Mapped[str] = mapped_column(primary_key=True)
    predicate_key: Mapped[str]

    __table_args__ = (team_reference("predicate_names_team"),)


class Entity(Base):
    """A named thing. A homonym is legal: names are not unique.

    `merged_into_id` is what a merged one is called now; its names lead there while the merge lasts.
    """

    __tablename__ = "entities"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    name: Mapped[str]
    is_merged: Mapped[bool] = mapped_column(server_default=text("false"))
    created_by_profile_id: Mapped[str]
    created_at: Mapped[datetime] = created_now()
    merged_into_id: Mapped[str | None]

    __table_args__ = (
        references("profiles", "created_by_profile_id", name="entities_created_by"),
        references("entities", "merged_into_id", name="entities_merged_into"),
        CheckConstraint(
            "merged_into_id IS NULL OR (is_merged AND merged_into_id <> id)", name="survivor_is_another"
        ),
        Index(
            "entities_by_survivor",
            "team_id",
            "merged_into_id",
            postgresql_where=text("merged_into_id IS NOT NULL"),
        ),
        one_of("kind", EntityKind),
        CheckConstraint("length(name) BETWEEN 1 AND 256", name="name_has_length"),
        Index("entities_newest", "team_id", text("created_at DESC"), text("id DESC")),
    )


class EntityName(Base):
    """A name or alias of an entity, as written and folded for look-ups.

    `spelling` has other letters and digits for those of the folded one, as its team has them: spellings are as
    alike as the names, but share few trigrams with other teams'.
    """

    __tablename__ = "entity_names"

    team_id: Mapped[str] = team_key()
    entity_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    folded_name: Mapped[str]
    is_alias: Mapped[bool]
    spelling: Mapped[str] = mapped_column(Computed("spell_for_team(team_id, folded_name)", persisted=True))

    __table_args__ = (
        references("entities", "entity_id", name="entity_names_entity"),
        Index("entity_names_folded", "team_id", "folded_name"),
        Index(
            "entity_names_trigram",
            "team_id",
            "spelling",
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
            postgresql_ops={"spelling": "gin_trgm_ops"},
        ),
        # Letters beyond ASCII have no trigrams where the database's locale is "C"; their bytes have.
        Index(
            "entity_names_bytes_trigram",
            "team_id",
            literal_column("spell_for_team(team_id, spell_bytes(folded_name))").label("spelt"),
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
            postgresql_ops={"spelt": "gin_trgm_ops"},
            postgresql_where=text("folded_name ~ '[^ -~]'"),
        ),
    )


class EntityMergeEvent(Base):
    """One entity became another, or that was taken back. Append-only; an undoing names what it undoes.

    `before_image` of a merge holds each Relationship as it was, what was made of it, and the supports that went
    along: all that an undoing needs.
    """

    __tablename__ = "entity_merge_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    event: Mapped[str]
    entity_id: Mapped[str]
    survivor_id: Mapped[str]
    undoes_id: Mapped[str | None]
    before_image: Mapped[object] = mapped_column(JSONB)
    reason: Mapped[str | None]
    actor_profile_id: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("entities", "entity_id", name="entity_merge_events_entity"),
        references("entities", "survivor_id", name="entity_merge_events_survivor"),
        references("entity_merge_events", "undoes_id", name="entity_merge_events_undoes"),
        references("profiles", "actor_profile_id", name="entity_merge_events_actor"),
        UniqueConstraint("team_id", "undoes_id", name="entity_merge_events_undone_once"),
        CheckConstraint("event IN ('merged', 'unmerged')", name="event_is_known"),
        CheckConstraint("(event = 'unmerged') = (undoes_id IS NOT NULL)", name="undoing_names_its_merge"),
        Index("entity_merge_events_by_entity", "team_id", "entity_id", "id"),
        Index("entity_merge_events_by_survivor", "team_id", "survivor_id"),
    )


class TypedValueRow(Base):
    """A typed literal in its one canonical spelling; no unit is ''."""

    __tablename__ = "typed_values"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    value_type: Mapped[str]
    canonical: Mapped[str]
    unit: Mapped[str]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("typed_values_team"),
        one_of("value_type", ValueType),
        UniqueConstraint("team_id", "value_type", "canonical", "unit", name="typed_values_are_unique"),
    )
