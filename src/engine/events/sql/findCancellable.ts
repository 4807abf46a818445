import { bigint, statement, text, timestamptz, uuid } from '../../db/index.ts';

interface Row {
  runId: string;
  tags: Record<string, string> | null;
  session: string | null;
  /** Whether it began before the event. */
  isOlder: boolean;
}

/**
 * Unfinished runs of a workflow that an event may cancel, in order, one page at a time. Rides
 * `run_work_cancellable_idx` for each lane of the workflow. A run that the event started names it,
 * and a batch that it completed may have its date: both are not older.
 */
export const findCancellable = statement<Row>('findCancellable').reads({
  params: {
    projectId: uuid,
    app: text,
    workflow: text,
    eventId: uuid,
    receivedAt: timestamptz,
    afterRunId: uuid,
    limit: bigint,
  },
  text: `
    select r.id as run_id, r.tags, r.session,
      r.created_at <= $receivedAt and r.event_id is distinct from $eventId
        and (r.events is null or r.created_at < $receivedAt) as is_older
    from (
      select w.run_id from lane l join run_work w on w.lane_id = l.id
      where l.project_id = $projectId and l.app = $app and l.workflow = $workflow
        and w.cancellable and w.run_id > $afterRunId
      order by w.run_id limit $limit
    ) w
    join run r on r.id = w.run_id
    order by r.id
  `,
});

/** The inputs of runs, in order of id: the first one, and more while they fit. */
export const cancellableInputs = statement<{ id: string; input: string }>('cancellableInputs').reads({
  params: { runIds: uuid.list, maxBytes: bigint },
  text: `
    select id, input from (
      select id, input, row_number() over (order by id) as place,
        sum(octet_length(input::text)) over (order by id rows unbounded preceding) as upto
      from run where id = any($runIds)
    ) sized
    where place = 1 or upto <= $maxBytes
    order by id
  `,
});
