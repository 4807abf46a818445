-- Why: an event of a webhook source keeps the headers that the source exposes, and the trace context of its sender. A run copies them,
-- as a claim reads no event. Both columns are null for all other events.

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "envelope" JSON;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "envelope" JSON;
