"""The one way into the guard for whoever takes submissions in: checked first, and without keeping others waiting.

The guard reads a submission of the largest size for a second or so, beside the event loop. Do this before a
transaction is begun, so that none waits for it.
"""

from typing import Final

from app.kernel.aside import work_aside
from app.remember.check import check_submission
from app.remember.guard.guard import Guarded, count_characters, guard_submission
from app.remember.submission import Submission

# Read within a few milliseconds, sooner than the thread might come to it.
LONGEST_AT_ONCE: Final = 4_000


async def guard(submission: Submission) -> Guarded:
    """Return the submission as it may be stored, and what is to be held of it.

    Raises:
        InvalidInput: with every fault of the submission.
    """
    check_submission(submission)
    if count_characters(submission) <= LONGEST_AT_ONCE:
        return guard_submission(submission)
    return await work_aside(guard_submission, submission)
