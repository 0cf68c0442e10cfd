"""A new team starts with the seeded predicates."""

from app.kernel.database import Writing
from app.ledger.predicates import seed_predicates
from app.tenancy.teams import Team, create_team


async def found_team(writing: Writing, team_id: str, name: str) -> Team:
    """Store the team and its predicates; the transaction's scope is the new team.

    Raises:
        WrongState: `name_taken`.
    """
    team = await create_team(writing, team_id, name)
    await seed_predicates(writing, team_id)
    return team
