import type { EventRecord } from './eventRecord.ts';
import { firstTimes, type Entry as JournalEntry } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import { type Reason, reasons } from './withheld.ts';

/** What somebody asked for, and what came of it. Times in ms. */
export interface Start {
  workflow: string;
  key: string | null;
  came: 'run' | Reason;
  runId: string | undefined;
  /** Of an event that asked. */
  eventId: string | undefined;
  /** It passed the gates after this, … */
  from: number;
  /** … and before that. */
  to: number;
}

/** What is left when a case is over. */
export interface Remains {
  runs: ReadonlyMap<string, RunRecord>;
  events: readonly EventRecord[];
  journal: readonly JournalEntry[];
}

/**
 * All starts that passed the door, and those by events that did not. Not those of forks and
 * follow-on runs, for which there is no door; nor what came out of buffers.
 */
export function startsOf({ runs, events, journal }: Remains): Start[] {
  const began = firstTimes(journal, 'began');
  const recorded = firstTimes(journal, 'recorded');
  const byEvents = events.flatMap(({ id, key, received_at: at, triggered }) =>
    triggered.map((entry): Start => {
      const came = reasons.find((reason) => entry[reason]) ?? 'run';
      const { workflow } = entry;
      // That of a buffer is of others too, and began at another time.
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
