-- Why: who waits for a slot is asked at every start and end of a run that is counted: who is first in line (countSlots,
-- openSlots), in which slots somebody waits at all (gatedSlots, nextDue), and what has got past its slot and waits for the
-- ceiling of its project (openSlots). A backlog of one slot must not make any of this slower.
CREATE INDEX "run_work_gated_idx" ON "run_work" ("gate", "slot", "position", "run_id") WHERE "state" = 'gated';
