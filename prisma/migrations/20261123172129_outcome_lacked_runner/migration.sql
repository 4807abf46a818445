-- Why: a run that follows a failure is not pinned to the runner whose absence it was. A former build pins it all the same.

-- AlterTable
ALTER TABLE "run_outcome" ADD COLUMN     "lacked_runner" BOOLEAN NOT NULL DEFAULT false;
