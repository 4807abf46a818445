-- Why: a workflow may limit how long its runs take (`maxDuration`), and name events that cancel
-- them (`cancelOn`). A run gets both at its start. Only such runs are in the two indexes, and
-- neither column changes while a run executes. Runs that a former build starts have no limit, as in
-- that build.

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN "cancellable" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "ends_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN "cancel_on" JSON,
ADD COLUMN "max_duration_ms" BIGINT;

CREATE INDEX "run_work_ends_idx" ON "run_work" ("ends_at") WHERE "ends_at" IS NOT NULL;
CREATE INDEX "run_work_cancellable_idx" ON "run_work" ("lane_id", "run_id") WHERE "cancellable";
