-- Why: lists of webhook deliveries by app, kind, endpoint, run or status read about a page of rows, be there a million deliveries.
--
-- The status precedes the time, so that one index also serves the pair, and a merge over the five statuses serves the filter alone.
-- The times ascend, unlike those of the older index: new entries then come last in their group, and its pages fill up.

-- CreateIndex
CREATE INDEX "webhook_delivery_project_id_app_status_created_at_id_idx" ON "webhook_delivery"("project_id", "app", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_project_id_event_kind_status_created_at_id_idx" ON "webhook_delivery"("project_id", "event_kind", "status", "created_at", "id");

-- By hand: custom sends have no endpoint, and tests no run.

CREATE INDEX "webhook_delivery_endpoint_idx" ON "webhook_delivery" ("endpoint_id", "status", "created_at", "id") WHERE "endpoint_id" IS NOT NULL;
CREATE INDEX "webhook_delivery_run_idx" ON "webhook_delivery" ("run_id", "created_at", "id") WHERE "run_id" IS NOT NULL;
