-- Why: GET /webhook-source-deliveries filters by source and by status. Each list merges the newest rows of the statuses that it shows,
-- so two indexes serve all filters, also where a status is rare. No earlier version has written the table, or read it.

-- DropIndex
DROP INDEX "webhook_source_delivery_project_id_created_at_id_idx";

-- DropIndex
DROP INDEX "webhook_source_delivery_source_id_created_at_id_idx";

-- CreateIndex
CREATE INDEX "webhook_source_delivery_project_id_status_created_at_id_idx" ON "webhook_source_delivery"("project_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_source_delivery_source_id_status_created_at_id_idx" ON "webhook_source_delivery"("source_id", "status", "created_at" DESC, "id" DESC);
