"""What was done by admins, operators and the host's commands."""

from app.api.wire.shapes import Answer, PageQuery, UtcTime
from app.tenancy.audit import ActorKind, AuditAction


class AuditQuery(PageQuery):
    """Filters of `list_audit_events`."""

    action: AuditAction | None = None


class AuditActorAnswer(Answer):
    """A profile by one of its keys, an admin key, or the host's command line, which has no key."""

    kind: ActorKind
    key_id: str | None
    profile_id: str | None


class AuditEventAnswer(Answer):
    """One act; `team_id` is null for one on the instance. It holds ids, settings and numbers, never content."""

    audit_id: str
    team_id: str | None
    action: AuditAction
    actor: AuditActorAnswer
    target_id: str | None
    details: dict[str, str | int | float | bool | list[str] | None]
    created_at: UtcTime
