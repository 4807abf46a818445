-- Why: a dispatcher that was found dead says so by a column of its own, not by an impossible date of its start. Older builds read and
-- write that date, so this build writes both and reads either.

-- AlterTable
ALTER TABLE "dispatcher" ADD COLUMN     "found_dead_at" TIMESTAMPTZ(3);
