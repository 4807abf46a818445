-- Why: a budget that is spent pauses every unfinished run of its workflow, and lets go of those that it has paused. Both are
-- found by their workflow, however much waits elsewhere.

-- listBudgets: workflows with a budget, among any number without.
CREATE INDEX "workflow_budget_idx" ON "workflow" ("project_id", "app", "name") WHERE ("flow_control" -> 'budget') IS NOT NULL;
-- findSpared: what budgets have paused.
CREATE INDEX "run_budget_paused_idx" ON "run" ("project_id", "app", "workflow", "id") WHERE "paused_reason" = 'budget';
-- findSpending: of a lane, what neither is executed nor can be claimed; the rest of a lane has indexes of its own.
CREATE INDEX "run_work_idle_idx" ON "run_work" ("lane_id", "run_id") WHERE "state" IN ('parked', 'gated');
