-- Why: deliveries of webhooks, in both directions. No earlier version has written these tables, or read them.
--
-- The statement that makes a change also writes the deliveries that tell of it: a narrow row each, since all of a body but the run's
-- status can be read later. Secrets move to "sealed_secret", where all secrets are.

-- DropIndex
DROP INDEX "webhook_attempt_delivery_id_id_idx";

-- DropIndex
DROP INDEX "webhook_source_delivery_source_id_created_at_idx";

-- AlterTable
ALTER TABLE "webhook_delivery" DROP COLUMN "lease_id",
DROP COLUMN "leased_until",
DROP COLUMN "max_attempts",
DROP COLUMN "source_run_id",
ADD COLUMN     "is_test" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "run_id" UUID,
ADD COLUMN     "run_status" TEXT,
ADD COLUMN     "step_attempt" INTEGER,
ADD COLUMN     "step_index" INTEGER;

-- AlterTable
ALTER TABLE "webhook_endpoint" DROP COLUMN "previous_secret",
DROP COLUMN "previous_until",
DROP COLUMN "sealed_secret",
ADD COLUMN     "disabled_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_source" DROP COLUMN "previous_secret",
DROP COLUMN "previous_until",
DROP COLUMN "sealed_secret",
DROP COLUMN "sealed_token",
ADD COLUMN     "expose_headers" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "handshake" TEXT;

-- CreateTable
CREATE TABLE "webhook_work" (
    "delivery_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_id" UUID,
    "claim_no" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_work_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateTable
CREATE TABLE "webhook_lane" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_lane_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_sender" (
    "id" UUID NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_sender_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_source_hour" (
    "source_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "recorded" INTEGER NOT NULL DEFAULT 0,
    "counted" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_source_hour_pkey" PRIMARY KEY ("source_id","hour")
);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_attempt_delivery_id_attempt_key" ON "webhook_attempt"("delivery_id", "attempt");

-- CreateIndex
CREATE INDEX "webhook_source_delivery_source_id_created_at_id_idx" ON "webhook_source_delivery"("source_id", "created_at" DESC, "id" DESC);

-- By hand: what the schema cannot say.

DROP INDEX "webhook_delivery_due_idx";

-- Endpoints for which deliveries are written.
CREATE INDEX "webhook_endpoint_heard_idx" ON "webhook_endpoint" ("project_id") WHERE ("enabled" OR "disabled_at" IS NOT NULL);

-- Leased rows are few, and those that wait are claimed lane by lane.
CREATE INDEX "webhook_work_lane_idx" ON "webhook_work" ("lane", "due_at", "delivery_id") WHERE "lease_id" IS NULL;
CREATE INDEX "webhook_work_due_idx" ON "webhook_work" ("due_at") WHERE "lease_id" IS NULL;
CREATE INDEX "webhook_work_leased_idx" ON "webhook_work" ("lane") WHERE "lease_id" IS NOT NULL;

ALTER TABLE "webhook_work" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE "webhook_lane" SET (fillfactor = 50);
ALTER TABLE "webhook_sender" SET (fillfactor = 50);
