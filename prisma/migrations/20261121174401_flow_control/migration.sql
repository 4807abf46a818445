-- Why: what flow control has to know of a run while it is unfinished stands beside its place in the queue, so that slots in
-- use are counted from the runs that hold them and can never leak. The tables of `flow_*` were not in use before this.

-- AlterTable
ALTER TABLE "flow_buffer" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "closed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "items" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "runner" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "flow_buffer_item" ADD COLUMN     "input" JSON NOT NULL;

-- AlterTable
ALTER TABLE "flow_rate" DROP CONSTRAINT "flow_rate_pkey",
DROP COLUMN "arrival_at",
DROP COLUMN "scope",
ADD COLUMN     "app" TEXT NOT NULL,
ADD COLUMN     "arrival_us" DECIMAL NOT NULL,
ADD COLUMN     "granted" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "policy" TEXT NOT NULL,
ADD COLUMN     "workflow" TEXT NOT NULL,
ADD CONSTRAINT "flow_rate_pkey" PRIMARY KEY ("project_id", "policy", "app", "workflow", "key");

-- AlterTable
ALTER TABLE "run_work" ADD COLUMN     "gate" TEXT,
ADD COLUMN     "singleton" BIGINT,
ADD COLUMN     "slot" BIGINT,
ADD COLUMN     "slot_key" TEXT,
ADD COLUMN     "token_key" TEXT;

-- DropTable
DROP TABLE "flow_slot";

-- CreateTable
CREATE TABLE "flow_budget" (
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "warned_at" TIMESTAMPTZ(3),
    "exceeded_at" TIMESTAMPTZ(3),

    CONSTRAINT "flow_budget_pkey" PRIMARY KEY ("project_id","app","workflow")
);

-- CreateIndex
CREATE INDEX "flow_rate_arrival_us_idx" ON "flow_rate"("arrival_us");

-- What Prisma cannot say.
-- At most one open buffer of a scope.
CREATE UNIQUE INDEX "flow_buffer_open_idx" ON "flow_buffer" ("project_id", "policy", "app", "workflow", "key", "runner") WHERE NOT "closed";
-- Of a slot's runs: how many are executing, who waits, in order.
CREATE INDEX "run_work_slot_idx" ON "run_work" ("slot", "state", "position", "run_id") WHERE "slot" IS NOT NULL;
CREATE INDEX "run_work_ceiling_idx" ON "run_work" ("project_id", "position", "run_id") WHERE "gate" = 'ceiling';
-- At most one unfinished run has a `singleton` place: a run's row goes when it ends.
CREATE UNIQUE INDEX "run_work_singleton_idx" ON "run_work" ("project_id", "singleton") WHERE "singleton" IS NOT NULL;

ALTER TABLE "flow_buffer" ADD CONSTRAINT "flow_buffer_policy_known" CHECK ("policy" IN ('debounce', 'batch'));

ALTER TABLE "run_work"
  ADD CONSTRAINT "run_work_gate_when_gated" CHECK (("gate" IS NOT NULL) = ("state" = 'gated') AND ("gate" IS NULL OR "gate" IN ('slot', 'ceiling')));
