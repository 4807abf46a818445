-- A wait may look back: it also takes events that were received since an instant before its beginning.
-- The event log is searched for such an event before and after the commit of the wait. `looks_back`
-- marks waits whose second search is open, so that another process can finish it.

-- AlterTable
ALTER TABLE "run_wait" ADD COLUMN     "looks_back" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "since" TIMESTAMPTZ(3);

-- By hand: what the schema cannot say.

CREATE INDEX "run_wait_look_back_idx" ON "run_wait" ("created_at") WHERE "looks_back";
