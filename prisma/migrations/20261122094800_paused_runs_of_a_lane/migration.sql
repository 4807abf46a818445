-- Why: `run_work_paused_start_idx` named `claim_no`, which every commit counts up. PostgreSQL then writes a new entry into all
-- indexes of `run_work` with each step, where it used to write none (heap-only updates).
CREATE INDEX "run_work_paused_idx" ON "run_work" ("lane_id", "run_id")
  WHERE "state" = 'paused' AND "resume_state" = 'parked';
DROP INDEX "run_work_paused_start_idx";
