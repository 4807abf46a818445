-- Why: the scheduler deletes the counts of old hours, and finds them without reading those of all sources.

-- CreateIndex
CREATE INDEX "webhook_source_hour_hour_idx" ON "webhook_source_hour"("hour");
