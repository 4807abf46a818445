-- Why: a step is seen while its body executes, and a parked run says why it waits. Both facts end
-- with the run, and stand in its row of the queue. Each names the claim under which it holds. A
-- process of the former version writes neither, and its next claim or commit ends them. A null says
-- the same as no column did.

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "started" JSONB,
ADD COLUMN     "waiting_claim_no" INTEGER,
ADD COLUMN     "waiting_for" JSON;
