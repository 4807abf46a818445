-- Why: a decision may have a reason. And people decide the approval with the next deadline first: a list in
-- that order must not sort all open approvals of a project. Open approvals are few, so the index is partial.

-- AlterTable
ALTER TABLE "approval" ADD COLUMN     "decision_reason" TEXT;

-- By hand: what the schema cannot say.

CREATE INDEX "approval_open_deadline_idx" ON "approval" ("project_id", (coalesce("expires_at", 'infinity')), "id")
  WHERE "status" IN ('pending', 'escalated');
