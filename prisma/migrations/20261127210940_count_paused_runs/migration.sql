-- Why: a scrape of metrics counts the paused runs up to a limit. Without an index it would read the whole
-- queue. While the index is built, the queue can be read, but not written.
CREATE INDEX "run_work_any_paused_idx" ON "run_work" ("run_id") WHERE "state" = 'paused';
