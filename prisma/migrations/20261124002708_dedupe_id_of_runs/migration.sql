-- Why: GET /runs?dedupeId= finds the runs of an event or of a manual trigger by the id that its sender
-- gave. An event names its runs, and only needs an index. A trigger leaves no row of its own, so its run
-- holds the id. Runs of the former version have none, and are found by their events only.

-- AlterTable
ALTER TABLE "run" ADD COLUMN "dedupe_id" TEXT;

-- CreateIndex: both are partial, as most runs and events have no such id.
CREATE INDEX "run_dedupe_id_idx" ON "run" ("project_id", "dedupe_id") WHERE "dedupe_id" IS NOT NULL;
CREATE INDEX "event_dedupe_id_idx" ON "event" ("project_id", "dedupe_id") WHERE "dedupe_id" IS NOT NULL;
