-- Why: a stream of events that is taken up again has to know what follows the last event. Ids do not say it, since they are made
-- before their events are committed. So each event gets a number of its project at its delivery, and streams read by that.
-- The trigger numbers the deliveries of the former version as well. The columns "xid" and "snapshot" of "event" keep their defaults,
-- for streams of the former version read by them; a later migration drops both.

-- CreateTable
CREATE TABLE "event_seq" (
    "project_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "event_seq_pkey" PRIMARY KEY ("project_id","seq")
);

-- CreateTable
CREATE TABLE "event_head" (
    "project_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,

    CONSTRAINT "event_head_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "event_seq_event_id_key" ON "event_seq"("event_id");

-- A row per project, written with each batch of deliveries.
ALTER TABLE "event_head" SET (fillfactor = 50);

-- Heads are locked in order of project, after all rows of event_pending: so two deliveries do not deadlock.
CREATE FUNCTION number_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH counted AS (
    SELECT project_id, count(*) AS events FROM gone GROUP BY project_id
  ),
  head AS (
    INSERT INTO event_head AS h (project_id, seq)
    SELECT project_id, events FROM counted ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET seq = h.seq + excluded.seq
    RETURNING project_id, seq
  )
  INSERT INTO event_seq (project_id, seq, event_id)
  SELECT project_id, seq - events + row_number() OVER (PARTITION BY project_id ORDER BY event_id), event_id
  FROM gone JOIN counted USING (project_id) JOIN head USING (project_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER number_events AFTER DELETE ON event_pending
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION number_events();
