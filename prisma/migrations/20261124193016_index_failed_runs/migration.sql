-- Why: the diagnosis of a failed run asks whether others of its workflow failed alike within a day,
-- be there a million runs. Few runs fail, so the index is partial. While it is built, runs can be
-- read, but not written.
CREATE INDEX "run_failed_idx" ON "run" ("project_id", "app", "workflow", "ended_at") WHERE "status" = 'failed';
