"""The demo's outcome: a page for people, a document for programs."""

from collections import Counter
from dataclasses import asdict

from app.cli.demo.guesses import DEPTHS, METHODS
from app.cli.demo.loop import Outcome
from app.cli.output import Json, print_lines, print_table
from app.cli.remote import print_recall

SHOWN_DREAMS = 3
REASONS = {
    "output_budget": "the cycle keeps at most so many",
    "slot_taken": "the subject can have one such relationship, and has it",
}


def as_json(outcome: Outcome) -> Json:
    """Return everything that was counted and decided."""
    confirmed, rejected = outcome.confirmed, outcome.rejected
    return {
        "seed": outcome.seed,
        "counts": counts(outcome),
        "funnel": outcome.run["funnel"],
        "rejections": outcome.run["rejections"],
        "run_id": outcome.run["run_id"],
        "run_status": outcome.run["status"],
        "precision": [asdict(one) for one in outcome.precision],
        "rounds": outcome.rounds,
        "hits": outcome.hits,
        "confirmed": confirmed,
        "rejected": rejected,
        "recall": outcome.recall,
        "semantic_hash_before": outcome.semantic_hashes[0],
        "semantic_hash_after": outcome.semantic_hashes[1],
        "seconds": outcome.seconds,
    }


def counts(outcome: Outcome) -> Json:
    """Return what was read and where it landed."""
    landed = Counter(
        one["category"] for placement in outcome.placements for one in placement["relationship_outcomes"]
    )
    told = Counter(claim.predicate for document in outcome.corpus.documents for claim in document.claims)
    kept_back = Counter(claim.predicate for claim in outcome.corpus.held_back)
    return {
        "packages": len(outcome.corpus.documents),
        "proposed": dict(sorted(told.items())),
        "held_back": dict(sorted(kept_back.items())),
        "outcomes": dict(sorted(landed.items())),
        "dreams": len(outcome.dreams),
    }


def print_report(outcome: Outcome) -> None:
    """Print what was read, dreamt, guessed, confirmed and rejected."""
    print_read(outcome)
    print_dreams(outcome)
    print_guesses(outcome)
    print_review(outcome)
    if outcome.confirmed is not None:
        print_lines("", f"Recall: {outcome.query}")
        print_recall(outcome.recall)
    total = sum(outcome.seconds.values())
    spent = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in outcome.seconds.items())
    print_lines("", f"{total:.0f} s: {spent}. Seed {outcome.seed}.")


def print_read(outcome: Outcome) -> None:
    """Print what went in."""
    found = counts(outcome)
    proposed = sum(found["proposed"].values())
    outcomes = found["outcomes"]
    active = outcomes.get("relationship_validated_claim", 0) + outcomes.get("relationship_fact", 0)
    pending = outcomes.get("relationship_pending_evidence", 0)
    other = proposed - active - pending
    print_lines(
        f"Read the metadata of {found['packages']} installed packages: {proposed} proposed relationships.",
        f"  {active} are known now. {pending} are not: their lines carry a condition, so they stay candidates",
        f"  that a dream may look at but never build on alone. {other} ended otherwise.",
        "  Held back, and told to nobody: "
        + ", ".join(f"{count} {predicate}" for predicate, count in found["held_back"].items())
        + ".",
    )


def print_dreams(outcome: Outcome) -> None:
    """Print the cycle and its likeliest dreams."""
    funnel = outcome.run["funnel"]
    is_same = outcome.semantic_hashes[0] == outcome.semantic_hashes[1]
    print_lines(
        "",
        f"Dreamt: {funnel['eligible']} relationships read → {funnel['premises']} premises → "
        f"{funnel['groups']} groups → {funnel['generated']} generated → {funnel['persisted']} kept.",
        f"  What is known is {'the same, bit for bit' if is_same else 'NOT the same'}, before and after.",
    )
    for rejection in outcome.run["rejections"]:
        said = REASONS.get(rejection["reason"], rejection["reason"])
        print_lines(f"  {rejection['count']} not kept: {said}.")
    print_lines(
        f"  {len(outcome.hits)} of the {len(outcome.dreams)} kept say what was held back. Some of them:"
    )
    # A few of both kinds, each with its likelihood: those that were held back first.
    hits = [dream for dream in outcome.dreams if dream["hypothesis_id"] in outcome.hits]
    others = [dream for dream in outcome.dreams if dream["hypothesis_id"] not in outcome.hits]
    for dream in hits[:SHOWN_DREAMS]:
        print_lines(f"  {dream['likelihood']:.2f}  {dream['statement']}  ← held back")
    for dream in others[:SHOWN_DREAMS]:
        print_lines(f"  {dream['likelihood']:.2f}  {dream['statement']}")


def print_guesses(outcome: Outcome) -> None:
    """Print how many held-back edges each ranking finds."""
    by_key = {(one.predicate, one.method, one.k): one for one in outcome.precision}
    rows = [
        {"predicate": f"{predicate} ({held_back(outcome, predicate)} held back)", "k": f"first {k}"}
        | {method: f"{by_key[predicate, method, k].share * k:g}" for method in METHODS}
        for predicate in dict.fromkeys(one.predicate for one in outcome.precision)
        for k in DEPTHS
    ]
    over = f", median of {outcome.rounds} seeds" if outcome.rounds > 1 else ""
    print_lines(
        "",
        f"All open pairs ranked, predicate by predicate{over}: how many of the held-back edges come first?",
    )
    print_table(
        {"Predicate": "predicate", "": "k", "Ours": "rules", "Popularity": "popularity", "Random": "random"},
        rows,
    )


def held_back(outcome: Outcome, predicate: str) -> int:
    """Return how many held-back edges of the predicate a ranking could reach."""
    return next(one.held_back for one in outcome.precision if one.predicate == predicate)


def print_review(outcome: Outcome) -> None:
    """Print what became of the dream that was confirmed and of the one that was rejected."""
    confirmed, rejected = outcome.confirmed, outcome.rejected
    if confirmed is None:
        print_lines("", "No dream was a held-back edge this time: nothing to confirm. Try --seed 2.")
    else:
        landed = confirmed["outcome"]
        print_lines(
            "",
            f"Confirmed: {confirmed['statement']}",
            f"  {confirmed['rationale']}",
            *(f"  evidence | {line}" for line in confirmed["evidence"].split("\n")),
            f"  went through remember as {confirmed['ingest_id']} and landed as {landed['category']}",
            f"  ({landed['relationship_id']}); the dream itself stays a dream, {confirmed['status']}.",
        )
    if rejected is not None:
        print_lines(
            "", f"Rejected: {rejected['statement']}", "  It stays away until new premises speak for it."
        )
