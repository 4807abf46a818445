-- Why: one signed number counted two kinds of fruitless invokes, and a time left over in `run_after` meant that the end
-- of a run had withdrawn a retry. Both get columns with names. Rows need no backfill: where only a former build wrote,
-- the readers tell by the former columns (`fruitlessSql`, `isRetryWithdrawnSql`), which this build keeps up to date.

-- AlterTable
ALTER TABLE "run_step" ADD COLUMN     "retry_withdrawn" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "repeats" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "unanswered" INTEGER NOT NULL DEFAULT 0;
