-- Why: the EventSource of a browser sends no header, so it cannot send a key. A ticket in the URL opens
-- one stream instead, on any process. Older builds do not use the table.

-- CreateTable
CREATE TABLE "stream_ticket" (
    "token_hash" BYTEA NOT NULL,
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "path" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_ticket_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "stream_ticket_expires_at_idx" ON "stream_ticket"("expires_at");

-- CreateIndex
CREATE INDEX "stream_ticket_key_id_expires_at_idx" ON "stream_ticket"("key_id", "expires_at");
