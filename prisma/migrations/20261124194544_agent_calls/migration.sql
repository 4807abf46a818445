-- Why: an agent repeats a call whose answer was lost, so a write must act once, on any process; and an
-- agent must not approve what it started, so its runs are remembered. Older builds write neither table:
-- their starts from buffers have no record of the agent.

-- CreateTable
CREATE TABLE "agent_call" (
    "project_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "claim" UUID NOT NULL,
    "done" JSON,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_call_pkey" PRIMARY KEY ("project_id","key","call_id")
);

-- CreateTable
CREATE TABLE "agent_start" (
    "run_id" UUID NOT NULL,
    "key" TEXT NOT NULL,

    CONSTRAINT "agent_start_pkey" PRIMARY KEY ("run_id","key")
);

-- CreateIndex
CREATE INDEX "agent_call_expires_at_idx" ON "agent_call"("expires_at");
