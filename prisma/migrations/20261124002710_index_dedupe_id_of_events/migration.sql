-- Why: GET /runs?dedupeId= finds the events that name their runs. While the index is built, events
-- can be read, but not written. It is partial, as most events have no such id.

-- CreateIndex
CREATE INDEX "event_dedupe_id_idx" ON "event" ("project_id", "dedupe_id") WHERE "dedupe_id" IS NOT NULL;
