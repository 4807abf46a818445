-- Why: a workflow that no runner serves any more is retired, so that its events and schedules start
-- no doomed runs. Older builds write none of these columns: a retired workflow then starts runs as
-- before.

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN "held_by_hand" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "retired_at" TIMESTAMPTZ(3),
ADD COLUMN "retired_by" TEXT,
ADD COLUMN "unserved_at" TIMESTAMPTZ(3);
