-- Why: the buffers of each policy are flushed for themselves, the longest overdue first, however many of the other are due.

-- DropIndex
DROP INDEX "flow_buffer_flush_at_idx";

-- CreateIndex
CREATE INDEX "flow_buffer_policy_flush_at_idx" ON "flow_buffer"("policy", "flush_at");
