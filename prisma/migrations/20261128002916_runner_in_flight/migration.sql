-- Why: the list of runners shows how many passes each one executes. Its dispatcher writes the number
-- with the heartbeat. Null: a runner that is called by its URL, or that an older build has seen last.

-- AlterTable
ALTER TABLE "runner" ADD COLUMN     "in_flight" INTEGER;
