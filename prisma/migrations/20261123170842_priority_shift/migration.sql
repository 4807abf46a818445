-- Why: `priority` holds whenever a run is enqueued, and not only at its start. A former build leaves it empty: such runs have no shift later.

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "shift_ms" BIGINT;
