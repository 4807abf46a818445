import { bigint, int, statement, text, timestamptz, uuid, xid } from '../../db/index.ts';

interface Page {
  /** The last wait of the previous page. */
  after: { runId: string; stepIndex: number } | undefined;
}

interface Row {
  runId: string;
  stepIndex: number;
  eventIf: string | null;
  looksBack: boolean;
}

const nowhere = '00000000-0000-0000-0000-000000000000';

/**
 * Waits that an event may end, one page at a time: waits without an indexable guard, and waits
 * whose guard matches a value of the event. A second of tolerance on `receivedAt` covers the time
 * between reading the clock and the commit.
 *
 * If the clock was set back, a wait may have a later date than an event that came after it. The
 * transaction ids of both rows then decide: an older transaction wrote the wait. Rows of `run_wait`
 * and `event_pending` are not updated, so their `xmin` is that of the insert.
 *
 * A wait that looks back begins at its `since`, whatever the date of its row. The event that
 * started its run does not end it.
 */
export const findWaits = statement<Row>('findWaits').reads({
  params: {
    projectId: uuid,
    eventName: text,
    paths: text.list,
    /** The digest of the event's value at each path. */
    values: text.list,
    eventId: uuid,
    receivedAt: timestamptz,
    afterRunId: uuid.of(({ after }: Page) => after?.runId ?? nowhere),
    afterStepIndex: int.of(({ after }: Page) => after?.stepIndex ?? -1),
    limit: bigint,
    /** The transaction that recorded the event. */
    transaction: xid,
  },
  text: `
    select w.run_id, w.step_index, w.event_if, w.looks_back
    from unnest($paths, $values) as k(path, value)
    join run_wait w on w.project_id = $projectId and w.event_name = $eventName and w.match_path = k.path and w.match_value = k.value
    where case when w.since is null
        then w.created_at <= $receivedAt + interval '1 second' or age(w.xmin) > age($transaction)
        else w.since <= $receivedAt and $eventId is distinct from (select r.event_id from run r where r.id = w.run_id) end
      and (w.run_id, w.step_index) > ($afterRunId, $afterStepIndex)
    order by w.run_id, w.step_index
    limit $limit
  `,
});
