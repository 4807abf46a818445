-- The whole model of the service. Prisma proposes the tables; what it cannot say (partial indexes, CHECKs that tie
-- statuses to timestamps, storage parameters) stands at the end, by hand.

-- CreateTable
CREATE TABLE "ai_usage" (
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "model" TEXT,
    "tokens_in" BIGINT,
    "tokens_out" BIGINT,
    "cost" DOUBLE PRECISION,
    "latency_ms" DOUBLE PRECISION,
    "cache_hit" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ai_usage_pkey" PRIMARY KEY ("run_id","step_index","attempt")
);

-- CreateTable
CREATE TABLE "score" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" JSON NOT NULL,
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "score_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "step" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "args" JSON NOT NULL,
    "risk" TEXT NOT NULL,
    "policy" TEXT,
    "summary" TEXT,
    "context" TEXT,
    "escalates_to" TEXT NOT NULL,
    "on_timeout" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,
    "decided_via" TEXT,
    "edited_args" JSON,

    CONSTRAINT "approval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "data" JSON,
    "tags" JSONB,
    "session" TEXT,
    "dedupe_id" TEXT,
    "target_app" TEXT,
    "runner" TEXT,
    "source" TEXT NOT NULL,
    "source_run_id" UUID,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "triggered" JSON NOT NULL,
    "woke" INTEGER NOT NULL DEFAULT 0,
    "woke_runs" UUID[],
    "suspended" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_pending" (
    "event_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pending_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "dedupe_key" (
    "project_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "ref_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dedupe_key_pkey" PRIMARY KEY ("project_id","scope","key")
);

-- CreateTable
CREATE TABLE "run_wait" (
    "run_id" UUID NOT NULL,
    "step_index" INTEGER NOT NULL,
    "term" INTEGER NOT NULL DEFAULT 0,
    "project_id" UUID NOT NULL,
    "event_name" TEXT NOT NULL,
    "match_path" TEXT NOT NULL DEFAULT '',
    "match_value" TEXT NOT NULL DEFAULT '',
    "event_if" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_wait_pkey" PRIMARY KEY ("run_id","step_index","term")
);

-- CreateTable
CREATE TABLE "flow_slot" (
    "project_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "slot_limit" INTEGER NOT NULL,
    "in_use" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "flow_slot_pkey" PRIMARY KEY ("project_id","scope","key")
);

-- CreateTable
CREATE TABLE "flow_rate" (
    "project_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "arrival_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "flow_rate_pkey" PRIMARY KEY ("project_id","scope","key")
);

-- CreateTable
CREATE TABLE "flow_buffer" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "policy" TEXT NOT NULL,
    "app" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "flush_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "flow_buffer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "flow_buffer_item" (
    "buffer_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "event_id" UUID,
    "start" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "flow_buffer_item_pkey" PRIMARY KEY ("buffer_id","position")
);

-- CreateTable
CREATE TABLE "project" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "concurrency_ceiling" INTEGER NOT NULL DEFAULT 0,
    "suspended_at" TIMESTAMPTZ(3),
    "registry_version" BIGINT NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sealed_secret" (
    "project_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sealed_secret_pkey" PRIMARY KEY ("project_id","kind","name")
);

-- CreateTable
CREATE TABLE "control_action" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "run_id" UUID,
    "new_run_id" UUID,
    "actor" TEXT,
    "detail" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "control_action_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "app_pkey" PRIMARY KEY ("project_id","name")
);

-- CreateTable
CREATE TABLE "workflow" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "max_attempts" INTEGER NOT NULL,
    "backoff" TEXT NOT NULL,
    "initial_delay_ms" BIGINT NOT NULL,
    "max_delay_ms" BIGINT NOT NULL,
    "on_failure" BOOLEAN NOT NULL,
    "triggers" JSON,
    "flow_control" JSON,
    "steps" JSON,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_version" (
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "definition" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("project_id","app","name","version")
);

-- CreateTable
CREATE TABLE "cron_schedule" (
    "id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "cron" TEXT NOT NULL,
    "next_fire_at" TIMESTAMPTZ(3) NOT NULL,
    "last_fired_at" TIMESTAMPTZ(3),
    "last_refused_at" TIMESTAMPTZ(3),

    CONSTRAINT "cron_schedule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "runner" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "runner_id" TEXT NOT NULL,
    "transport" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "framework" TEXT,
    "runtime" TEXT,
    "language" TEXT,
    "sdk_name" TEXT,
    "version" TEXT,
    "region" TEXT,
    "workflows" TEXT[],
    "max_in_flight" INTEGER NOT NULL DEFAULT 100,
    "dispatcher_id" UUID,
    "connection_id" UUID NOT NULL,
    "connected" BOOLEAN NOT NULL DEFAULT true,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runner_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lane" (
    "id" SERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "runner" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "lane_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "trigger_kind" TEXT NOT NULL,
    "event_name" TEXT,
    "event_id" UUID,
    "session" TEXT,
    "runner" TEXT,
    "replay_of" UUID,
    "on_failure_of" UUID,
    "parent_run_id" UUID,
    "parent_step" TEXT,
    "parent_attempt" INTEGER,
    "depth" INTEGER NOT NULL DEFAULT 0,
    "tags" JSONB,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "paused_reason" TEXT,
    "paused_actor" TEXT,
    "input" JSON NOT NULL,
    "events" JSON,
    "result" JSON,
    "error" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "start_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_work" (
    "run_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "lane_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "claim_no" INTEGER NOT NULL DEFAULT 0,
    "wakes" INTEGER NOT NULL DEFAULT 0,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "transport_failures" INTEGER NOT NULL DEFAULT 0,
    "stranded_at" TIMESTAMPTZ(3),
    "pausing" BOOLEAN NOT NULL DEFAULT false,
    "resume_state" TEXT,

    CONSTRAINT "run_work_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "run_step" (
    "run_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "step_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "input" JSON,
    "output" JSON,
    "error" JSON,
    "ai" JSON,
    "usage" JSON,
    "run_after" TIMESTAMPTZ(3),
    "will_retry" BOOLEAN NOT NULL DEFAULT false,
    "event_name" TEXT,
    "child_run_id" UUID,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "run_step_pkey" PRIMARY KEY ("run_id","index","attempt")
);

-- CreateTable
CREATE TABLE "run_frame" (
    "run_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "payload" JSON NOT NULL,
    "log_scope" TEXT,
    "log_attempt" INTEGER,
    "log_index" INTEGER,

    CONSTRAINT "run_frame_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "run_outcome" (
    "run_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_outcome_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "dispatcher" (
    "id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dispatcher_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT,
    "app" TEXT,
    "url" TEXT NOT NULL,
    "event_kinds" TEXT[],
    "scheme" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "sealed_secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "endpoint_id" UUID,
    "url" TEXT NOT NULL,
    "event_kind" TEXT NOT NULL,
    "source_run_id" UUID,
    "payload" JSON,
    "status" TEXT NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL,
    "last_status_code" INTEGER,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "status_code" INTEGER,
    "response_snippet" TEXT,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "request_headers" JSON NOT NULL,
    "response_headers" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_source" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT,
    "app" TEXT,
    "token_hash" BYTEA NOT NULL,
    "sealed_token" BYTEA NOT NULL,
    "event_name" TEXT NOT NULL,
    "target_app" TEXT,
    "dedupe_key" TEXT,
    "scheme" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "sealed_secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_source_delivery" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "failure_reason" TEXT,
    "event_id" UUID,
    "run_id" UUID,
    "request_headers" JSON NOT NULL,
    "body" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_source_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_source_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "event_id" UUID,
    "run_id" UUID,
    "actor" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_source_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ai_usage_project_id_created_at_idx" ON "ai_usage"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "ai_usage_project_id_app_workflow_created_at_idx" ON "ai_usage"("project_id", "app", "workflow", "created_at");

-- CreateIndex
CREATE INDEX "score_project_id_name_created_at_idx" ON "score"("project_id", "name", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "score_run_id_step_index_key" ON "score"("run_id", "step_index");

-- CreateIndex
CREATE INDEX "approval_project_id_id_idx" ON "approval"("project_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "approval_run_id_step_index_key" ON "approval"("run_id", "step_index");

-- CreateIndex
CREATE INDEX "event_project_id_id_idx" ON "event"("project_id", "id" DESC);

-- CreateIndex
CREATE INDEX "event_project_id_name_id_idx" ON "event"("project_id", "name", "id" DESC);

-- CreateIndex
CREATE INDEX "dedupe_key_expires_at_idx" ON "dedupe_key"("expires_at");

-- CreateIndex
CREATE INDEX "run_wait_project_id_event_name_match_path_match_value_idx" ON "run_wait"("project_id", "event_name", "match_path", "match_value");

-- CreateIndex
CREATE INDEX "flow_buffer_flush_at_idx" ON "flow_buffer"("flush_at");

-- CreateIndex
CREATE UNIQUE INDEX "project_name_key" ON "project"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_token_hash_key" ON "api_key"("token_hash");

-- CreateIndex
CREATE INDEX "api_key_project_id_idx" ON "api_key"("project_id");

-- CreateIndex
CREATE INDEX "control_action_project_id_id_idx" ON "control_action"("project_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "workflow_project_id_app_name_key" ON "workflow"("project_id", "app", "name");

-- CreateIndex
CREATE INDEX "cron_schedule_next_fire_at_idx" ON "cron_schedule"("next_fire_at");

-- CreateIndex
CREATE UNIQUE INDEX "cron_schedule_workflow_id_cron_key" ON "cron_schedule"("workflow_id", "cron");

-- CreateIndex
CREATE INDEX "runner_dispatcher_id_idx" ON "runner"("dispatcher_id");

-- CreateIndex
CREATE INDEX "runner_connection_id_idx" ON "runner"("connection_id");

-- CreateIndex
CREATE UNIQUE INDEX "runner_project_id_app_runner_id_key" ON "runner"("project_id", "app", "runner_id");

-- CreateIndex
CREATE UNIQUE INDEX "lane_project_id_app_workflow_runner_key" ON "lane"("project_id", "app", "workflow", "runner");

-- CreateIndex
CREATE INDEX "run_project_id_created_at_id_idx" ON "run"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "run_project_id_workflow_created_at_id_idx" ON "run"("project_id", "workflow", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "run_project_id_status_created_at_id_idx" ON "run"("project_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoint_project_id_name_key" ON "webhook_endpoint"("project_id", "name");

-- CreateIndex
CREATE INDEX "webhook_delivery_project_id_created_at_id_idx" ON "webhook_delivery"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_attempt_delivery_id_id_idx" ON "webhook_attempt"("delivery_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_source_token_hash_key" ON "webhook_source"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_source_project_id_name_key" ON "webhook_source"("project_id", "name");

-- CreateIndex
CREATE INDEX "webhook_source_delivery_project_id_created_at_id_idx" ON "webhook_source_delivery"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_source_delivery_source_id_created_at_idx" ON "webhook_source_delivery"("source_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_source_attempt_delivery_id_attempt_key" ON "webhook_source_attempt"("delivery_id", "attempt");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "cron_schedule" ADD CONSTRAINT "cron_schedule_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Partial indexes of the work queue. Each holds only what its reader can take now.
-- claimWork: the ready runs of a lane, in order.
CREATE INDEX "run_work_ready_idx" ON "run_work" ("lane_id", "position", "run_id") WHERE "state" = 'ready';
-- takeDueSchedules: whether an instant of a schedule has its run already.
CREATE INDEX "run_cron_idx" ON "run" ("project_id", "app", "workflow", "created_at") WHERE "trigger_kind" = 'cron' AND "replay_of" IS NULL;
-- wakeDue: what wakes by itself, earliest first.
CREATE INDEX "run_work_due_idx" ON "run_work" ("due_at") WHERE "state" IN ('parked', 'stranded') AND "due_at" IS NOT NULL;
-- reapDispatchers: what a silent dispatcher holds.
CREATE INDEX "run_work_lease_idx" ON "run_work" ("lease_id") WHERE "lease_id" IS NOT NULL;
-- reviveLanes: what waits for a runner.
CREATE INDEX "run_work_stranded_idx" ON "run_work" ("lane_id") WHERE "state" = 'stranded';

-- Links between runs exist on few of them.
CREATE INDEX "run_event_id_idx" ON "run" ("event_id") WHERE "event_id" IS NOT NULL;
CREATE INDEX "run_replay_of_idx" ON "run" ("replay_of") WHERE "replay_of" IS NOT NULL;
CREATE INDEX "run_parent_run_id_idx" ON "run" ("parent_run_id") WHERE "parent_run_id" IS NOT NULL;
CREATE INDEX "run_on_failure_of_idx" ON "run" ("on_failure_of") WHERE "on_failure_of" IS NOT NULL;
CREATE INDEX "run_session_idx" ON "run" ("project_id", "session", "created_at" DESC) WHERE "session" IS NOT NULL;
-- `sort=duration`: finished runs, in either direction.
CREATE INDEX "run_duration_idx" ON "run" ("project_id", ("ended_at" - coalesce("started_at", "created_at")), "id") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "run_tags_idx" ON "run" USING gin ("tags" jsonb_path_ops) WHERE "tags" IS NOT NULL;
-- What was done to one run, and where it came from.
CREATE INDEX "control_action_run_id_idx" ON "control_action" ("run_id") WHERE "run_id" IS NOT NULL;
CREATE INDEX "control_action_new_run_id_idx" ON "control_action" ("new_run_id") WHERE "new_run_id" IS NOT NULL;
-- expireDueApprovals: an escalated approval has no deadline any more.
CREATE INDEX "approval_due_idx" ON "approval" ("expires_at") WHERE "status" = 'pending' AND "expires_at" IS NOT NULL;
-- The few that are open among all that were ever decided.
CREATE INDEX "approval_open_idx" ON "approval" ("project_id", "id" DESC) WHERE "status" IN ('pending', 'escalated');
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery" ("next_attempt_at") WHERE "status" IN ('pending', 'failed');
CREATE UNIQUE INDEX "webhook_endpoint_url_idx" ON "webhook_endpoint" ("project_id", coalesce("app", ''), "url");

-- A log line is persisted once, however often the handler replays it (2.6).
CREATE UNIQUE INDEX "run_frame_log_idx" ON "run_frame" ("run_id", "log_scope", "log_attempt", "log_index") WHERE "kind" = 'log';

ALTER TABLE "run"
  ADD CONSTRAINT "run_status_known" CHECK ("status" IN ('queued', 'running', 'waiting', 'paused', 'needs_attention', 'succeeded', 'failed', 'cancelled')),
  ADD CONSTRAINT "run_ended_when_terminal" CHECK (("ended_at" IS NOT NULL) = ("status" IN ('succeeded', 'failed', 'cancelled'))),
  ADD CONSTRAINT "run_trigger_kind_known" CHECK ("trigger_kind" IN ('event', 'cron', 'manual'));

ALTER TABLE "approval"
  ADD CONSTRAINT "approval_status_known" CHECK ("status" IN ('pending', 'escalated', 'approved', 'denied', 'cancelled')),
  ADD CONSTRAINT "approval_on_timeout_known" CHECK ("on_timeout" IN ('escalate', 'approve', 'reject', 'fail')),
  ADD CONSTRAINT "approval_decided_at_when_decided" CHECK (("decided_at" IS NOT NULL) = ("status" IN ('approved', 'denied'))),
  ADD CONSTRAINT "approval_decided_via_when_decided" CHECK (("decided_via" IS NOT NULL) = ("status" IN ('approved', 'denied')));

ALTER TABLE "run_work"
  ADD CONSTRAINT "run_work_state_known" CHECK ("state" IN ('ready', 'leased', 'parked', 'stranded', 'paused', 'gated')),
  ADD CONSTRAINT "run_work_resume_when_paused" CHECK (("resume_state" IS NOT NULL) = ("state" = 'paused') AND ("resume_state" IS NULL OR "resume_state" IN ('ready', 'parked'))),
  ADD CONSTRAINT "run_work_lease_when_leased" CHECK (("lease_id" IS NOT NULL) = ("state" = 'leased'));

ALTER TABLE "run_step"
  ADD CONSTRAINT "run_step_status_known" CHECK ("status" IN ('running', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled')),
  ADD CONSTRAINT "run_step_ended_when_settled" CHECK (("ended_at" IS NULL) = ("status" IN ('running', 'waiting'))),
  ADD CONSTRAINT "run_step_retry_only_when_failed" CHECK (NOT "will_retry" OR ("status" = 'failed' AND "run_after" IS NOT NULL));

ALTER TABLE "api_key"
  ADD CONSTRAINT "api_key_kind_known" CHECK ("kind" IN ('secret', 'public', 'platform')),
  ADD CONSTRAINT "api_key_project_unless_platform" CHECK ("kind" = 'platform' OR "project_id" IS NOT NULL);

-- Rows of run_work are updated at every step: leave room for HOT updates, and clean up early.
ALTER TABLE "run_work" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE "run" SET (fillfactor = 80);
ALTER TABLE "run_wait" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "run_outcome" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "event_pending" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "dispatcher" SET (fillfactor = 50);
