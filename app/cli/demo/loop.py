"""The whole loop, step by step, each timed."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, LiteralString

from app.cli.demo.conversation import Conversation, submission
from app.cli.demo.evidence import Claim, Corpus, Headers, build_corpus, read_headers
from app.cli.demo.guesses import Precision, measure_guesses, middle
from app.cli.output import Json
from app.kernel.database import Database, Scope, Writing
from app.ledger.founding import found_team
from app.tenancy.configuration import store_team_settings
from app.tenancy.keys import KeyDraft, create_key
from app.tenancy.teams import create_profile, new_team_id

OUTPUTS: Final = 20


@dataclass(slots=True)
class Outcome:
    """What the demo found; `as_json` in report.py shows it whole."""

    seed: int
    key: str
    team_id: str
    corpus: Corpus
    placements: list[Json] = field(default_factory=list)
    run: Json = field(default_factory=dict)
    dreams: list[Json] = field(default_factory=list)
    hits: list[str] = field(default_factory=list)
    precision: list[Precision] = field(default_factory=list)
    rounds: int = 1
    confirmed: Json | None = None
    rejected: Json | None = None
    query: str = ""
    recall: Json = field(default_factory=dict)
    semantic_hashes: tuple[str, str] = ("", "")
    seconds: dict[str, float] = field(default_factory=dict)


Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do it on. `seed` draws the packages, if fewer than all, and what of them is held back; with more
    `seeds` than one, the guesses are measured on as many memories, seed, seed + 1, …
    """

    seed: int = 1
    seeds: int = 1
    max_packages: int | None = None

    def choose_packages(self) -> list[Headers]:
        """Return the packages of this environment, at most so many, ordered by name."""
        packages = read_headers()
        if self.max_packages is None or self.max_packages >= len(packages):
            return packages
        drawn = random.Random(self.seed).sample(range(len(packages)), self.max_packages)
        return [packages[number] for number in sorted(drawn)]


async def run_loop(database: Database, url: str, plan: Plan, *, tell: Tell) -> Outcome:
    """Remember, dream, review and recall on the packages of this environment; `tell` hears what is done."""
    corpus = build_corpus(plan.choose_packages(), seed=plan.seed)
    team_id, key = await found_demo_team(database, f"demo {plan.seed}")
    outcome = Outcome(seed=plan.seed, key=key, team_id=team_id, corpus=corpus)
    conversation = Conversation(url, key)
    try:
        with timed(outcome, "remember"):
            outcome.placements = await conversation.remember(
                corpus.documents, tell=lambda n: tell(f"remembering {n} of {len(corpus.documents)} packages")
            )
        with timed(outcome, "dream"):
            tell("dreaming")
            before = await hash_semantic_tables(database, team_id)
            outcome.run = await conversation.dream()
            outcome.semantic_hashes = (before, await hash_semantic_tables(database, team_id))
            page = await conversation.get("/v1/dreams", limit=OUTPUTS, sort="likelihood")
            outcome.dreams = page["items"]
        with timed(outcome, "measure"):
            outcome.precision = await measure_rounds(database, url, outcome, plan, tell=tell)
        with timed(outcome, "review"):
            tell("reviewing")
            await review(conversation, outcome)
        with timed(outcome, "recall"):
            if outcome.confirmed is not None:
                outcome.query = f"What do we know of {' and '.join(name_subjects(outcome))}?"
                outcome.recall = await conversation.post("/v1/recall", {"query": outcome.query})
    finally:
        await conversation.close()
    return outcome


async def found_demo_team(database: Database, name: str) -> tuple[str, str]:
    """Return the id of a fresh team and the secret of a key that may read, write and operate."""
    team_id = new_team_id()

    async def found(writing: Writing) -> str:
        await found_team(writing, team_id, f"{name} ({team_id})")
        await store_team_settings(writing, team_id, {"max_outputs": OUTPUTS, "generator": "rules"})
        profile = await create_profile(writing, team_id, "demo")
        draft = KeyDraft(profile_id=profile.profile_id, scopes=frozenset({"read", "write", "operate"}))
        return (await create_key(writing, team_id, draft)).secret

    return team_id, await database.unit_of_work(Scope("app", team_id), found)


async def measure_rounds(
    database: Database, url: str, outcome: Outcome, plan: Plan, *, tell: Tell
) -> list[Precision]:
    """Return the guesses' precision, the median over memories that hold back different edges."""
    rounds = [await measure_guesses(database, outcome.team_id, outcome.corpus.held_back, seed=outcome.seed)]
    packages = plan.choose_packages()
    for seed in range(plan.seed + 1, plan.seed + plan.seeds):
        tell(f"measuring with seed {seed}")
        corpus = build_corpus(packages, seed=seed)
        team_id, key = await found_demo_team(database, f"demo {seed}")
        other = Conversation(url, key)
        try:
            await other.remember(corpus.documents, tell=lambda _: None)
        finally:
            await other.close()
        rounds.append(await measure_guesses(database, team_id, corpus.held_back, seed=seed))
    outcome.rounds = len(rounds)
    return middle(rounds)


async def review(conversation: Conversation, outcome: Outcome) -> None:
    """Confirm the likeliest hit with the lines that were held back, and reject the likeliest miss."""
    found = {claim_key(claim): claim for claim in outcome.corpus.held_back}
    hits = [dream for dream in outcome.dreams if dream_key(dream) in found]
    misses = [dream for dream in outcome.dreams if dream_key(dream) not in found]
    outcome.hits = [hit["hypothesis_id"] for hit in hits]
    if hits:
        outcome.confirmed = await confirm(conversation, hits[0], found[dream_key(hits[0])], outcome.corpus)
    if misses:
        dream = await conversation.get(f"/v1/dreams/{misses[0]['hypothesis_id']}")
        answer = await conversation.post(
            f"/v1/dreams/{dream['hypothesis_id']}/feedback",
            {"decision": "reject", "reason": "The package's metadata does not say so."},
        )
        outcome.rejected = dream | {"status": answer["status"]}


async def confirm(conversation: Conversation, hit: Json, claim: Claim, corpus: Corpus) -> Json:
    """Submit the held-back line as new evidence, and return the dream with where the evidence landed."""
    document = next(one for one in corpus.documents if one.package == claim.package)
    name_line = next(line for line in document.content.split("\n") if line.startswith("Name:"))
    body = submission(f"{name_line}\n{claim.line}", [claim])
    path = f"/v1/dreams/{hit['hypothesis_id']}"
    dream = await conversation.get(path)
    for entity, field_name in zip(
        body["proposal"]["entities"], ("subject_entity_id", "object_entity_id"), strict=True
    ):
        entity["known_entity_id"] = hit[field_name]
    answer = await conversation.post(f"{path}/feedback", body | {"decision": "confirm_true"})
    placement = await conversation.placement(answer["ingest_id"])
    landed = placement["relationship_outcomes"][0]
    trace = (
        await conversation.get(f"/v1/relationships/{landed['relationship_id']}/trace")
        if landed["relationship_id"]
        else None
    )
    return dream | {
        "status": answer["status"],
        "ingest_id": answer["ingest_id"],
        "outcome": landed,
        "evidence": body["evidence"][0]["content"],
        "trace": trace,
    }


def name_subjects(outcome: Outcome) -> list[str]:
    """Return whom to ask about: the subject of the confirmed dream, and one that there is still an idea about."""
    decided = [dream for dream in (outcome.confirmed, outcome.rejected) if dream is not None]
    decided_ids = {dream["hypothesis_id"] for dream in decided}
    still_open = [dream for dream in outcome.dreams if dream["hypothesis_id"] not in decided_ids]
    return list(dict.fromkeys(dream["subject_name"] for dream in (*decided[:1], *still_open[:1])))


async def hash_semantic_tables(database: Database, team_id: str) -> str:
    """Return one digest over everything that the team knows: dreaming must leave it as it is."""
    async with database.snapshot(Scope("app", team_id)) as reading:
        row = await reading.fetch_one(_SEMANTIC_HASH)
    assert row is not None
    digest: str = row["digest"]
    return digest


def claim_key(claim: Claim) -> tuple[str, str, str]:
    return (claim.package, claim.predicate, claim.target)


def dream_key(dream: Json) -> tuple[str, str, str]:
    return (dream["subject_name"], dream["predicate_key"], dream["object_name"])


@contextmanager
def timed(outcome: Outcome, step: str) -> Iterator[None]:
    """Add the seconds that the block takes to the outcome."""
    started = perf_counter()
    yield
    outcome.seconds[step] = round(perf_counter() - started, 2)


_TABLES: Final[Sequence[LiteralString]] = (
    "predicates",
    "predicate_names",
    "entities",
    "entity_names",
    "typed_values",
    "evidence",
    "citations",
    "relationships",
    "relationship_transitions",
    "verification_events",
    "supports",
    "support_events",
    "relationship_documents",
    "conflict_cases",
    "review_tasks",
)
_SEMANTIC_HASH: LiteralString = (
    "SELECT encode(sha256(convert_to(string_agg(part, '/' ORDER BY part), 'UTF8')), 'hex') AS digest FROM ("
    + " UNION ALL ".join(
        "SELECT '" + table + "' || coalesce(md5(string_agg(md5(t::text), ',' ORDER BY md5(t::text))), '')"
        " AS part FROM " + table + " AS t"
        for table in _TABLES
    )
    + ") AS parts"
)
