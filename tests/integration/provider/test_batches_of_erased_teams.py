"""A team with a batch under way is not erased, unless the host abandons the batch."""

import pytest

from app.archive.erase import erase_team, erase_team_as_owner
from app.dreaming.runs.asking import cancel_run
from app.kernel.database import Scope
from app.kernel.errors import Busy
from app.kernel.settings import Settings
from app.tenancy.audit import list_instance_audit
from app.tenancy.callers import Admin
from tests.admin_keys import make_admin_key
from tests.integration.full_team import owner_of
from tests.integration.provider.batching import Batched, custom_id_of
from tests.provider_server.batches import ended


@pytest.mark.parametrize("who", ["host", "admin"])
async def test_a_team_is_not_erased_before_its_batch_has_ended(
    batched: Batched, settings: Settings, database_name: str, who: str
) -> None:
    team_id = batched.team.team_id
    owner = owner_of(settings, database_name)
    await owner.open()
    admin = await make_admin_key(batched.database)

    async def erase() -> None:
        if who == "host":
            await erase_team_as_owner(owner, team_id)
        else:
            name = f"Team {team_id}"
            await erase_team(batched.database, Admin(admin.key_id), admin.secret, team_id, name=name)

    run_id = await batched.start()
    assert (await batched.look(run_id)).status == "waiting"
    with pytest.raises(Busy, match="runs cancel"):
        await erase()
    # Nothing is closed either: who is to cancel the run needs a key.
    assert await batched.fetch("SELECT closed_at FROM teams WHERE id = %(team_id)s") == [{"closed_at": None}]
    await batched.database.unit_of_work(
        Scope("app", team_id), lambda writing: cancel_run(writing, batched.team, run_id)
    )
    await batched.settle()
    with pytest.raises(Busy):
        await erase()
    assert batched.batch.is_cancelled
    batched.batch.results = [ended(custom_id_of(batched.batch), "canceled")]
    await batched.settle()
    await erase()
    assert await batched.fetch("SELECT id FROM cycle_runs") == []
    await owner.close()


async def test_the_host_may_abandon_a_batch_and_it_is_said(
    batched: Batched, settings: Settings, database_name: str
) -> None:
    await batched.look(await batched.start())
    owner = owner_of(settings, database_name)
    await owner.open()
    _, erased = await erase_team_as_owner(owner, batched.team.team_id, abandons_batches=True)
    await owner.close()
    async with batched.database.reading(Scope("app")) as reading:
        newest = await list_instance_audit(reading, action="team_erased", limit=1, cursor=None)
    assert newest.items[0].details == {"rows": erased, "abandoned_batches": 1}
