"""One team's memory and guesses as rows of tables. Pure.

As `remember` and a cycle leave them, but for two things: no verdicts, for nothing was verified, and no feed, for
nobody listened.
"""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from app.cli.bench.recall.corpus import Known, TeamCorpus
from app.ledger.identity import Edge, semantic_group_key, target_identity
from app.ledger.nodes.names import fold_name
from app.ledger.predicates.phrases import hedged_statement, statement
from app.ledger.vocabulary import Predicate
from app.remember.document import write_document
from app.tenancy.callers import Caller

# Where each row goes. What is left out has a default, and numbers of events are the database's.
TABLES: Final[Mapping[str, str]] = {
    "entities": "team_id, id, kind, name, created_by_profile_id",
    "entity_names": "team_id, entity_id, name, folded_name, is_alias",
    "evidence": (
        "team_id, id, profile_id, content, content_digest, source_type, authority, source_group,"
        " supersedes_evidence_ids, labels, metadata, state"
    ),
    "citations": "team_id, id, evidence_id, starts, ends, quote",
    "relationships": (
        "team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,"
        " polarity, modality, semantic_group_key, target_identity, tier, status, version, eligible_since"
    ),
    "relationship_documents": "team_id, relationship_id, body",
    "supports": "team_id, relationship_id, citation_id, is_granted",
    "support_events": "team_id, relationship_id, citation_id, event, reason",
    "relationship_transitions": "team_id, relationship_id, version, to_tier, to_status, reason, effect",
    "cycle_runs": "team_id, id, window_key, trigger, status, scheduled_for, finished_at",
    "hypotheses": (
        "team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,"
        " target_identity, statement, rationale, likelihood, confidence, paths, generator_kind,"
        " generator_version, status, created_at"
    ),
    "hypothesis_sources": (
        "team_id, hypothesis_id, relationship_id, version, semantic_group_key, owner_profile_id, is_candidate"
    ),
    "hypothesis_events": (
        "team_id, hypothesis_id, event, to_status, actor_kind, cycle_run_id, versions_seen, created_at"
    ),
}
KEY: Final = "depends_on"
RUN_SIZE: Final = 500
# Of ten Hypotheses: what clients and time made of them.
STATUSES: Final = (*("proposed",) * 6, "reinforced", "stale", "stale", "rejected")
# A team may be too small for so many different guesses.
MOST_TRIES: Final = 20
Row = tuple[object, ...]


@dataclass(slots=True)
class Numbers:
    """Ids that sort as they were drawn: no clock and no chance in them."""

    numbers: Iterator[int] = field(default_factory=count)

    def new_id(self, prefix: str) -> str:
        """Return an id of the shape of all ids."""
        return f"{prefix}_{next(self.numbers):026X}"


@dataclass(frozen=True, slots=True)
class TeamRows:
    """The rows by table, and the Hypotheses that take feedback."""

    rows: Mapping[str, list[Row]]
    open_hypothesis_ids: Sequence[str]


def make_rows(
    caller: Caller,
    corpus: TeamCorpus,
    predicates: Mapping[str, Predicate],
    *,
    hypotheses: int,
    chance: random.Random,
    numbers: Numbers,
    now: datetime,
) -> TeamRows:
    """Return the corpus and so many Hypotheses over it, fewer where the team has too few things."""
    maker = _Maker(caller, corpus, predicates, numbers, now)
    maker.add_entities()
    maker.add_relationships()
    maker.add_hypotheses(hypotheses, chance)
    return TeamRows(maker.rows, maker.open_ids)


@dataclass(frozen=True, slots=True)
class _Placed:
    known: Known
    relationship_id: str
    group_key: str


class _Maker:
    """A team's rows under construction."""

    def __init__(
        self,
        caller: Caller,
        corpus: TeamCorpus,
        predicates: Mapping[str, Predicate],
        numbers: Numbers,
        now: datetime,
    ) -> None:
        self.team_id, self.profile_id = caller.team_id, caller.profile_id
        self.corpus, self.predicates, self.now = corpus, predicates, now
        self.new_id = numbers.new_id
        self.rows: dict[str, list[Row]] = {table: [] for table in TABLES}
        self.entity_ids = [self.new_id("ent") for _ in corpus.entities]
        self.placed: list[_Placed] = []
        self.open_ids: list[str] = []

    def add_entities(self) -> None:
        for entity_id, one in zip(self.entity_ids, self.corpus.entities, strict=True):
            self.rows["entities"].append((self.team_id, entity_id, one.kind, one.name, self.profile_id))
            for name in dict.fromkeys((one.name, *one.aliases)):
                self.rows["entity_names"].append(
                    (self.team_id, entity_id, name, fold_name(name), name != one.name)
                )

    def add_relationships(self) -> None:
        names = [(one.name, *one.aliases) for one in self.corpus.entities]
        for known in self.corpus.known:
            predicate = self.predicates[known.key]
            subject, object_ = names[known.subject], names[known.object]
            line = statement(subject[0], predicate.verb_phrase, object_[0])
            edge = self._edge(known)
            one = _Placed(
                known,
                self.new_id("rel"),
                semantic_group_key(self.team_id, edge, predicate, polarity="+", scope=None),
            )
            self.placed.append(one)
            document = write_document(subject, predicate, object_, polarity="+")
            self._add_evidence(one, line)
            self.rows["relationships"].append(
                (
                    *(
                        self.team_id,
                        one.relationship_id,
                        self.profile_id,
                        edge.subject_id,
                        edge.predicate_key,
                    ),
                    *(predicate.version, edge.object_id, "+", "statement", one.group_key),
                    *(target_identity(edge, predicate), "validated_claim", "active", 1, self.now),
                )
            )
            self.rows["relationship_documents"].append((self.team_id, one.relationship_id, document))
            self.rows["relationship_transitions"].append(
                (self.team_id, one.relationship_id, 1, "validated_claim", "active", "bulk", "harmless")
            )

    def _add_evidence(self, one: _Placed, line: str) -> None:
        team_id, evidence_id, citation_id = self.team_id, self.new_id("evd"), self.new_id("cit")
        self.rows["evidence"].append(
            (
                *(team_id, evidence_id, self.profile_id, line, hashlib.sha256(line.encode()).hexdigest()),
                *("document", "primary", self.profile_id, "{}", "{}", "{}", "active"),
            )
        )
        self.rows["citations"].append((team_id, citation_id, evidence_id, "{0}", f"{{{len(line)}}}", line))
        self.rows["supports"].append((team_id, one.relationship_id, citation_id, True))
        self.rows["support_events"].append((team_id, one.relationship_id, citation_id, "granted", "bulk"))

    def add_hypotheses(self, wanted: int, chance: random.Random) -> None:
        """Guess between things of which something is known: that is what each guess rests on."""
        of_subject: dict[int, list[_Placed]] = defaultdict(list)
        for one in self.placed:
            if self.corpus.entities[one.known.subject].kind == "product":
                of_subject[one.known.subject].append(one)
        products = list(of_subject)
        taken = {(one.known.subject, one.known.object) for one in self.placed if one.known.key == KEY}
        run_id = ""
        for _ in range(MOST_TRIES * wanted):
            if len(self.rows["hypotheses"]) == wanted:
                break
            subject, object_ = chance.choice(products), chance.choice(products)
            if subject == object_ or (subject, object_) in taken:
                continue
            taken.add((subject, object_))
            if len(self.rows["hypotheses"]) % RUN_SIZE == 0:
                run_id = self._add_run()
            sources = [chance.choice(of_subject[end]) for end in (subject, object_)]
            self._add_hypothesis(Known(subject, KEY, object_), sources, run_id, chance.random())

    def _add_run(self) -> str:
        run_id = self.new_id("run")
        self.rows["cycle_runs"].append(
            (self.team_id, run_id, f"manual:{run_id}", "manual", "succeeded", self.now, self.now)
        )
        return run_id

    def _add_hypothesis(
        self, target: Known, sources: Sequence[_Placed], run_id: str, likelihood: float
    ) -> None:
        number = len(self.rows["hypotheses"])
        hypothesis_id, status = self.new_id("hyp"), STATUSES[number % len(STATUSES)]
        if status in ("proposed", "reinforced"):
            self.open_ids.append(hypothesis_id)
        predicate, edge = self.predicates[target.key], self._edge(target)
        names = [self.corpus.entities[end].name for end in (target.subject, target.object)]
        at = self.now - timedelta(seconds=number)
        path = {
            "rule": f"{sources[0].known.key}, {sources[1].known.key}",
            "premise_keys": [one.group_key for one in sources],
            **{"instances": 1, "support": 3, "body": 12, "confidence": likelihood, "share": 1.0},
        }
        self.rows["hypotheses"].append(
            (
                *(self.team_id, hypothesis_id, run_id, edge.subject_id, edge.predicate_key),
                *(predicate.version, edge.object_id, target_identity(edge, predicate)),
                *(
                    hedged_statement(names[0], predicate.verb_phrase, names[1]),
                    "Both are known of each other's like.",
                ),
                *(likelihood, likelihood, json.dumps([path]), "rules", "rules-v1", status, at),
            )
        )
        seen = {}
        for one in sources:
            seen[one.relationship_id] = 1
            self.rows["hypothesis_sources"].append(
                (
                    *(self.team_id, hypothesis_id, one.relationship_id, 1, one.group_key, self.profile_id),
                    False,
                )
            )
        self.rows["hypothesis_events"].append(
            (self.team_id, hypothesis_id, "accepted", "proposed", "cycle", run_id, json.dumps(seen), at)
        )
        if status == "reinforced":
            self.rows["hypothesis_events"].append(
                (self.team_id, hypothesis_id, "regenerated", status, "cycle", run_id, json.dumps(seen), at)
            )

    def _edge(self, known: Known) -> Edge:
        return Edge(self.entity_ids[known.subject], known.key, self.entity_ids[known.object])
