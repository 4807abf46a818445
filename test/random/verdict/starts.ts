import type { EventRecord } from './eventRecord.ts';
import { firstTimes, type Entry as JournalEntry } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import { type Reason, reasons } from './withheld.ts';

/** A requested start and its outcome. Times in ms. */
export interface Start {
  workflow: string;
  key: string | null;
  came: 'run' | Reason;
  runId: string | undefined;
  /** The event of the request. */
  eventId: string | undefined;
  /** The start passed the gates after this time. */
  from: number;
  /** The start passed the gates before this time. */
  to: number;
}

/** The final rows of a case. */
export interface Remains {
  runs: ReadonlyMap<string, RunRecord>;
  events: readonly EventRecord[];
  journal: readonly JournalEntry[];
}

/**
 * All starts that passed the first gate, and those by events that did not. Without forks and
 * follow-on runs, which have no gate, and without flushes of buffers.
 */
export function startsOf({ runs, events, journal }: Remains): Start[] {
  const began = firstTimes(journal, 'began');
  const recorded = firstTimes(journal, 'recorded');
  const byEvents = events.flatMap(({ id, key, received_at: at, triggered }) =>
    triggered.map((entry): Start => {
      const came = reasons.find((reason) => entry[reason]) ?? 'run';
      const { workflow } = entry;
      // The run of a buffer belongs to other starts too, and began at another time.
      const runId = came === 'run' ? entry.runId : undefined;
      return { workflow, key, came, runId, eventId: id, from: Date.parse(at), to: recorded.get(id) ?? Number.NaN };
    }),
  );
  const others = [...runs.values()].filter(
    (run) => run.event_id === null && run.replay_of === null && run.on_failure_of === null && !run.is_flushed,
  );
  return [
    ...byEvents,
    ...others.map(
      ({ id: runId, workflow, key, created_at: at }): Start => ({
        ...{ workflow, key, came: 'run', runId, eventId: undefined },
        ...{ from: Date.parse(at), to: began.get(runId) ?? Number.NaN },
      }),
    ),
  ];
}
