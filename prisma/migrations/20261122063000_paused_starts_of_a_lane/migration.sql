-- Why: a change of policies gives other times to starts that it had put off (retimeStarts), also to those that were paused meanwhile.
-- Without this it would have to look through all that a workflow ever paused.
CREATE INDEX "run_work_paused_start_idx" ON "run_work" ("lane_id", "run_id")
  WHERE "state" = 'paused' AND "resume_state" = 'parked' AND "claim_no" = 0;
