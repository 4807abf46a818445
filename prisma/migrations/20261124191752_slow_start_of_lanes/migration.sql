-- A lane without a recent success begins with few calls in flight: a provider that is slow to refuse
-- got as many requests as its key may have, before its first word. And the projects take turns at
-- looks into the cache, for which a claim finds the looks of each project.

-- AlterTable
ALTER TABLE "inference_lane" ADD COLUMN     "opening_since" TIMESTAMPTZ(3),
ADD COLUMN     "succeeded_at" TIMESTAMPTZ(3);

-- By hand: what the schema cannot say.

CREATE INDEX "inference_call_look_project_idx" ON "inference_call" ("project_id", "due_at", "run_id", "step_index")
  WHERE "lease_id" IS NULL AND "paused_at" IS NULL AND "looks_up";
