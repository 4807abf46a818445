-- Why: the service calls models itself (`Infer`): calls that wait, holds of lanes, the ledger of sends, the cache.
--
-- A call that is repeated may be billed twice, so its spend has a row for each send.
-- Breaks older builds: they insert spend with the former primary key as conflict target.

-- AlterTable
ALTER TABLE "ai_usage" DROP CONSTRAINT "ai_usage_pkey",
ADD COLUMN     "send" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "unknown" BOOLEAN NOT NULL DEFAULT false,
ADD CONSTRAINT "ai_usage_pkey" PRIMARY KEY ("run_id", "step_index", "attempt", "send");

-- CreateTable
CREATE TABLE "inference_call" (
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "lane_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "request" BYTEA NOT NULL,
    "request_bytes" INTEGER NOT NULL,
    "max_tokens" INTEGER,
    "looks_up" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "paused_at" TIMESTAMPTZ(3),
    "is_capped" BOOLEAN NOT NULL DEFAULT false,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "sends" INTEGER NOT NULL DEFAULT 0,
    "reasked" INTEGER NOT NULL DEFAULT 0,
    "idempotency_key" UUID NOT NULL,
    "lease_id" UUID,
    "claim_no" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inference_call_pkey" PRIMARY KEY ("run_id","step_index")
);

-- CreateTable
CREATE TABLE "inference_key" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "provider" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "last_refused_at" TIMESTAMPTZ(3),
    "last_refusal" TEXT,

    CONSTRAINT "inference_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inference_lane" (
    "id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "project_id" UUID,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "held_until" TIMESTAMPTZ(3),
    "held_since" TIMESTAMPTZ(3),
    "held_for" TEXT,
    "holds" INTEGER NOT NULL DEFAULT 0,
    "width" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inference_lane_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inference_send" (
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "idempotency_key" UUID NOT NULL,
    "process_id" UUID NOT NULL,
    "reserved_tokens" BIGINT NOT NULL,
    "reserved_cost" DOUBLE PRECISION,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "status" INTEGER,
    "request_id" TEXT,
    "tokens_in" BIGINT,
    "tokens_out" BIGINT,
    "error" TEXT,

    CONSTRAINT "inference_send_pkey" PRIMARY KEY ("run_id","step_index","attempt","number")
);

-- CreateTable
CREATE TABLE "inference_process" (
    "id" UUID NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inference_process_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inference_cache" (
    "project_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "answer" JSON NOT NULL,
    "bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inference_cache_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateIndex
CREATE INDEX "inference_call_project_id_provider_lane_id_idx" ON "inference_call"("project_id", "provider", "lane_id");

-- CreateIndex
CREATE INDEX "inference_lane_key_id_idx" ON "inference_lane"("key_id");

-- CreateIndex
CREATE INDEX "inference_cache_project_id_used_at_idx" ON "inference_cache"("project_id", "used_at");

-- CreateIndex
CREATE INDEX "inference_cache_created_at_idx" ON "inference_cache"("created_at");

-- By hand: what the schema cannot say.

-- A claim skips from key to key, from lane to lane and from project to project, and reads the first calls of each.
CREATE INDEX "inference_call_lane_idx" ON "inference_call" ("key_id", "lane_id", "project_id", "due_at", "run_id", "step_index")
  WHERE "lease_id" IS NULL AND "paused_at" IS NULL AND NOT "looks_up";
-- No index fits the condition of another, so that statistics of an empty table mislead no plan.
CREATE INDEX "inference_call_due_idx" ON "inference_call" ("due_at") WHERE "lease_id" IS NULL AND "paused_at" IS NULL AND NOT "looks_up";
CREATE INDEX "inference_call_look_up_idx" ON "inference_call" ("due_at") WHERE "lease_id" IS NULL AND "paused_at" IS NULL AND "looks_up";
-- Leased rows are few.
CREATE INDEX "inference_call_leased_idx" ON "inference_call" ("key_id", "lane_id", "project_id") WHERE "lease_id" IS NOT NULL;
CREATE INDEX "inference_call_deadline_idx" ON "inference_call" ("deadline_at") WHERE "paused_at" IS NULL;

-- Sends under way are few.
CREATE INDEX "inference_send_open_idx" ON "inference_send" ("process_id") WHERE "outcome" IS NULL;

-- Requests stand beside their rows, so a claim does not copy them. Sealed bytes cannot be compressed.
ALTER TABLE "inference_call" ALTER COLUMN "request" SET STORAGE EXTERNAL;
ALTER TABLE "inference_call" SET (toast_tuple_target = 256, fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE "inference_lane" SET (fillfactor = 50);
ALTER TABLE "inference_key" SET (fillfactor = 50);
ALTER TABLE "inference_process" SET (fillfactor = 50);
ALTER TABLE "inference_send" SET (fillfactor = 80);
