-- Why: what waited in a buffer, and what is started over, is told the time of its event as it was, not that of the new run.

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "event_at" TIMESTAMPTZ(3);
