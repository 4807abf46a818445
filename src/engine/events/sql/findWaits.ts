import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  eventName: string;
  paths: readonly string[];
  /** The digest of the event's value at each path. */
  values: readonly string[];
  /** Waits that began later, by the clock and by the transactions, are none of this event's business. */
  receivedAt: Date;
  /** The transaction that recorded the event. */
  transaction: string;
  after: { runId: string; stepIndex: number } | undefined;
  limit: number;
}

interface Row {
  run_id: string;
  step_index: number;
  event_if: string | null;
}

const nowhere = '00000000-0000-0000-0000-000000000000';

/**
 * Candidates for a wake-up, a page at a time: those without an indexable guard, and those whose guard demands a value that
 * the event has. A second of slack on `receivedAt` covers the moment between a clock reading and its commit.
 *
 * A clock that went back in between dates a wait later than an event that came after it. Such a wait is told by its row: it was
 * written by an older transaction than the event was. Nothing updates rows of `run_wait` and `event_pending`.
 */
export const findWaits = statement<Params, Row>({
  name: 'findWaits',
  writes: false,
  text: `
    select w.run_id, w.step_index, w.event_if
    from unnest($3::text[], $4::text[]) as k(path, value)
    join run_wait w on w.project_id = $1 and w.event_name = $2 and w.match_path = k.path and w.match_value = k.value
    where (w.created_at <= $5::timestamptz + interval '1 second' or age(w.xmin) > age($9::xid))
      and (w.run_id, w.step_index) > ($6::uuid, $7::int)
    order by w.run_id, w.step_index
    limit $8
  `,
  values: ({ projectId, eventName, paths, values, receivedAt, transaction, after, limit }) => [
    projectId,
    eventName,
    paths,
    values,
    receivedAt,
    after?.runId ?? nowhere,
    after?.stepIndex ?? -1,
    limit,
    transaction,
  ],
});
