-- A caller may delay a start (`startAt`, `delay`), and let it expire unless its run begins in time (`ttl`).
-- A delayed run takes its turn at `throttle` when it is due. Both indexes are partial, so other runs
-- cost no write.

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "expires_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "not_before" TIMESTAMPTZ(3),
ADD COLUMN     "owed_turn" TEXT;

-- By hand: what the schema cannot say.

CREATE INDEX "run_work_expires_idx" ON "run_work" ("expires_at") WHERE "expires_at" IS NOT NULL AND "claim_no" = 0;
CREATE INDEX "run_work_owed_idx" ON "run_work" ("due_at") WHERE "owed_turn" IS NOT NULL;
