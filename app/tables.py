"""Imports every models module, so that `metadata` knows all tables: for migrations, drift checks and tests."""

import app.coordination.models
import app.dreaming.models
import app.events.models
import app.hypotheses.models
import app.ledger.models
import app.queue.models
import app.recall.models
import app.remember.models
import app.tenancy.models
from app.kernel.schema import Base

metadata = Base.metadata
