"""Commands for any client, over HTTP."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated, Final

import typer

from app.cli import insight
from app.cli.client import locate_server, open_client
from app.cli.context import AsJson, read_settings
from app.cli.operators import print_run
from app.cli.output import Json, print_json, print_lines, print_table, show
from app.client import DenseMem

DREAM_COLUMNS = {
    "Hypothesis": "hypothesis_id",
    "Statement": "statement",
    "Status": "status",
    "Likelihood": "likelihood",
    "Confidence": "confidence",
}
POLL_SECONDS: Final = 0.2
Limit = Annotated[int, typer.Option(min=1, max=100, help="Rows at most.")]


def add_commands(cli: typer.Typer) -> None:
    """Add the client commands to the tree."""
    cli.command()(remember)
    cli.command()(recall)
    cli.command()(mcp)
    dream = typer.Typer(
        help="Dreams: possible relationships, kept apart from what is known.", no_args_is_help=True
    )
    dream.command("run")(run_dream)
    dream.command("list")(list_dreams)
    dream.command("show")(show_dream)
    dream.command("feedback")(give_feedback)
    dream.command("why-not")(insight.explain_absence)
    dream.command("outcomes")(insight.show_outcomes)
    cli.add_typer(dream, name="dream")


def remember(
    file: Annotated[Path, typer.Argument(help="A JSON body of `remember`; - reads standard input.")],
    wait: Annotated[int, typer.Option(min=0, max=30, help="Seconds to wait for the placement.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Submit evidence with a proposal."""
    with connect() as client:
        answer = client.post("/v1/remember", read_body(file) | {"wait_seconds": wait})
    if as_json:
        print_json(answer)
        return
    print_lines(f"{answer['ingest_id']}: {answer['processing_state']}")
    print_outcomes(answer.get("relationship_outcomes") or [], indent="  ")


def recall(
    query: str, limit: Annotated[int, typer.Option(min=1, max=50)] = 10, as_json: AsJson = False
) -> None:
    """Ask the memory: what is known, what of it is disputed, and apart, below, ideas that nobody has confirmed."""
    with connect() as client:
        answer = client.post("/v1/recall", {"query": query, "limit": limit})
    if as_json:
        print_json(answer)
        return
    print_recall(answer)


def mcp() -> None:
    """Speak MCP on standard input and output, for agents that start a program; the memory is the server's."""
    import asyncio

    from app import __version__
    from app.mcp.stdio import serve_stdio

    where = locate_server(read_settings())
    asyncio.run(serve_stdio(where.url, where.key, version=__version__))


def run_dream(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would come, keep nothing.")] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask at half the price; the run may wait for a day.")
    ] = False,
    wait: Annotated[int, typer.Option(min=0, help="Seconds to wait for its end.")] = 60,
    as_json: AsJson = False,
) -> None:
    """Run a dream cycle now, or join the one under way, and show what came of it."""
    with connect() as client:
        run = client.post(
            "/v1/cycle-runs", {"dry_run": dry_run, "provider_mode": "batch" if batch else "direct"}
        )
        if run["dry_run"] != dry_run:
            kind = "dry run" if run["dry_run"] else "real run"
            print(f"A {kind} is under way; this is that one.", file=sys.stderr)
        deadline = monotonic() + wait
        while run["finished_at"] is None and monotonic() < deadline:
            sleep(POLL_SECONDS)
            run = client.get(f"/v1/cycle-runs/{run['run_id']}")
    print_json(run) if as_json else print_run(run)


def list_dreams(
    status: Annotated[list[str] | None, typer.Option(help="Only this status; repeatable.")] = None,
    sort: Annotated[str, typer.Option(help="newest, likelihood or review.")] = "newest",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """List dreams."""
    with connect() as client:
        page = client.get("/v1/dreams", status=status, sort=sort, limit=limit)
    print_json(page) if as_json else print_table(DREAM_COLUMNS, page["items"])


def show_dream(hypothesis_id: str, as_json: AsJson = False) -> None:
    """Show a dream with its explanation, its history and what became of its confirmations."""
    with connect() as client:
        dream = client.get(f"/v1/dreams/{hypothesis_id}")
    print_json(dream) if as_json else print_dream(dream)


def give_feedback(
    hypothesis_id: str,
    decision: Annotated[
        str, typer.Argument(help="reinforce, stale, reject, ignore, confirm_true, confirm_false")
    ],
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="JSON with evidence and proposal, for a confirmation.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Decide on a dream. Only new evidence can confirm one."""
    body: Json = {} if file is None else read_body(file)
    with connect() as client:
        answer = client.post(
            f"/v1/dreams/{hypothesis_id}/feedback", body | {"decision": decision, "reason": reason}
        )
    if as_json:
        print_json(answer)
    else:
        submitted = f" as {answer['ingest_id']}" if answer["ingest_id"] else ""
        print_lines(f"{answer['hypothesis_id']}: {answer['status']}{submitted}")


def print_outcomes(outcomes: Sequence[Json], *, indent: str) -> None:
    """Print where each proposal landed, and what waits for whom."""
    for outcome in outcomes:
        reason = f" ({outcome['reason']})" if outcome["reason"] else ""
        message = f" {outcome['message']}" if outcome["message"] else ""
        print_lines(f"{indent}{outcome['proposal_id']}: {show(outcome['category'])}{reason}{message}")
        if outcome["review_id"]:
            nearest = ", ".join(outcome["predicate_options"])
            among = f", nearest predicates: {nearest}" if nearest else ""
            print_lines(f"{indent}    {outcome['review_id']}{among}")


def print_recall(answer: Json) -> None:
    """Print what is known, with what is disputed of it, and apart from both what is only guessed."""
    print_lines("Known:" if answer["results"] else "Nothing is known about that.")
    for result in answer["results"]:
        copies = len(result["equivalent_relationship_ids"])
        held = f", held by {copies + 1}" if copies else ""
        print_lines(f"  {result['statement']}  [{result['tier']}{held}]")
    if answer["conflicts"]:
        print_lines("Conflicts:")
    for conflict in answer["conflicts"]:
        print_lines(f"  {conflict['conflict_id']}, {conflict['status']}:")
        for position in conflict["positions"]:
            is_preferred = position["position_id"] == conflict["preferred_position_id"]
            preferred = "  [preferred]" if is_preferred else ""
            print_lines(f"    {position['statement'] or 'Held by nobody any more.'}{preferred}")
    if answer["related_hypotheses"]:
        print_lines("Ideas, not known:")
        for idea in answer["related_hypotheses"]:
            print_lines(f"  {idea['statement']}  [likelihood {idea['likelihood']:.2f}]")
    for degradation in answer["degradations"]:
        print_lines(f"Without {degradation['part']}: {degradation['message']}")


def print_dream(dream: Json) -> None:
    """Print one dream with what carries it."""
    print_lines(
        dream["statement"],
        f"  {dream['status']}, likelihood {dream['likelihood']:.2f}, confidence {dream['confidence']:.2f}",
        f"  {dream['rationale']}",
    )
    for path in dream["explanation"]["paths"]:
        print_lines(
            f"  {path['share']:.0%} of it: {path['rule']}",
            f"      known of {path['support']} of the {path['body']} that it speaks for, this one among them",
        )
    for premise in dream["explanation"]["premises"]:
        print_lines(f"      {premise['statement']}  {premise['relationship_id']}")
    if not dream["is_current"]:
        print_lines("  Not current: " + "; ".join(cause["message"] for cause in dream["not_current_because"]))
    for event in dream["events"]:
        reason = f": {event['reason']}" if event["reason"] else ""
        print_lines(f"  {event['created_at']} {event['event']} → {event['to_status']}{reason}")
    for submission in dream["submissions"]:
        print_lines(
            f"  {submission['decision']} as {submission['ingest_id']}: {submission['processing_state']}"
        )
        print_outcomes(submission["relationship_outcomes"], indent="      ")


def connect() -> DenseMem:
    """Return the client of this command."""
    return open_client(read_settings())


def read_body(file: Path) -> Json:
    """Read a JSON object from a file or standard input."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        body = json.loads(text)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{file} can't be read as JSON: {error}") from error
    if not isinstance(body, dict):
        raise typer.BadParameter(f"{file} must hold a JSON object.")
    return body
