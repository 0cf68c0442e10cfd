"""Looking whether Redis does what it is there for."""

from app.coordination.redis_link import open_redis
from app.kernel.errors import SetupError
from app.kernel.settings import Settings
from app.postgres.doctor import Finding

_NONE = "none configured: PostgreSQL wakes workers and keeps the rate limits"
_AWAY = "cannot be written to: away, slow, full or refusing; PostgreSQL stands in"
_REMEDY = "Start Redis, correct REDIS_URL, or unset it."


async def diagnose_redis(settings: Settings) -> Finding:
    """Return what is seen of Redis; none at all is no fault. Writes one key that is gone after a second."""
    try:
        async with open_redis(settings) as redis:
            if redis is None:
                return Finding("redis", True, _NONE)
            if await redis.answers():
                return Finding("redis", True, "can be written to")
            return Finding("redis", False, _AWAY, _REMEDY)
    except SetupError as error:
        return Finding("redis", False, str(error), _REMEDY)
