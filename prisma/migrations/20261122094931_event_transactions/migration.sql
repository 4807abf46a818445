-- Why: whoever takes up the stream of events again after one of them was told once more of all that came in the ten seconds before,
-- since nothing said which of that had been there when it came. First without defaults, so that no row is written anew.
ALTER TABLE "event" ADD COLUMN "xid" BIGINT, ADD COLUMN "snapshot" TEXT;
ALTER TABLE "event" ALTER COLUMN "xid" SET DEFAULT ((pg_current_xact_id())::text)::bigint,
  ALTER COLUMN "snapshot" SET DEFAULT (pg_current_snapshot())::text;
