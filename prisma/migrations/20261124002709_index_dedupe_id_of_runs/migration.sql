-- Why: GET /runs?dedupeId= finds the runs of manual triggers. While the index is built, runs can be
-- read, but not written. It is partial, as most runs have no such id.

-- CreateIndex
CREATE INDEX "run_dedupe_id_idx" ON "run" ("project_id", "dedupe_id") WHERE "dedupe_id" IS NOT NULL;
