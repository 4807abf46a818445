-- Why: GET /runs?dedupeId= finds the runs of an event or of a manual trigger by the id that its
-- sender gave. An event names its runs, and only needs an index. A trigger leaves no row of its
-- own, so its run holds the id. Runs of the former version have none, and are found by their events
-- only.

-- The indexes follow in migrations of their own: this lock keeps readers out, and must be short.
-- AlterTable
ALTER TABLE "run" ADD COLUMN "dedupe_id" TEXT;
