import { bigint, int, statement, text, timestamptz, uuid, xid } from '../../db/index.ts';

interface Page {
  /** The last wait of the page before. */
  after: { runId: string; stepIndex: number } | undefined;
}

interface Row {
  runId: string;
  stepIndex: number;
  eventIf: string | null;
}

const nowhere = '00000000-0000-0000-0000-000000000000';

/**
 * Candidates for a wake-up, a page at a time: those without an indexable guard, and those whose
 * guard demands a value that the event has. A second of slack on `receivedAt` covers the moment
 * between a clock reading and its commit.
 *
 * A clock that went back in between dates a wait later than an event that came after it. Such a
 * wait is told by its row: it was written by an older transaction than the event was. Nothing
 * updates rows of `run_wait` and `event_pending`.
 */
export const findWaits = statement<Row>('findWaits').reads({
  params: {
    projectId: uuid,
    eventName: text,
    paths: text.list,
    /** The digest of the event's value at each path. */
    values: text.list,
    receivedAt: timestamptz,
    afterRunId: uuid.of(({ after }: Page) => after?.runId ?? nowhere),
    afterStepIndex: int.of(({ after }: Page) => after?.stepIndex ?? -1),
    limit: bigint,
    /** The transaction that recorded the event. */
    transaction: xid,
  },
  text: `
    select w.run_id, w.step_index, w.event_if
    from unnest($paths, $values) as k(path, value)
    join run_wait w on w.project_id = $projectId and w.event_name = $eventName and w.match_path = k.path and w.match_value = k.value
    where (w.created_at <= $receivedAt + interval '1 second' or age(w.xmin) > age($transaction))
      and (w.run_id, w.step_index) > ($afterRunId, $afterStepIndex)
    order by w.run_id, w.step_index
    limit $limit
  `,
});
