-- Why: a step is seen while its body executes, and a run that backs off says why. Both facts end with the run, and stand in its row of
-- the queue. Each names the claim under which it holds. A process of the former version writes neither, and its next claim or commit ends
-- them. A null says the same as no column did.

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "retry_reason" JSONB,
ADD COLUMN     "started" JSONB;
