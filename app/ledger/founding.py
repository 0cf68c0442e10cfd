"""A new team starts with the seeded predicates."""

from app.kernel.database import Writing
from app.ledger.predicates.changes import seed_predicates
from app.tenancy.callers import HOST, Actor
from app.tenancy.teams import Team, create_team


async def found_team(writing: Writing, team_id: str, name: str, *, actor: Actor = HOST) -> Team:
    """Store the team and its predicates; the transaction's scope is the new team.

    Raises:
        WrongState: `name_taken`.
    """
    team = await create_team(writing, team_id, name, actor=actor)
    await seed_predicates(writing, team_id)
    return team
