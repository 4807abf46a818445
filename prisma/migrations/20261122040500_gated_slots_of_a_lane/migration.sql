-- Why: the flow state of a project tells in which of its slots somebody waits (listScopes). Without this it would have to look
-- through the slots of all projects, and stop before it comes to its own.
CREATE INDEX "run_work_gated_lane_idx" ON "run_work" ("lane_id", "slot") WHERE "state" = 'gated' AND "gate" = 'slot';
