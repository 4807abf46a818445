import { type Admission, admit } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import type { NewEvent, Triggered } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';
import { onCurrentSnapshot } from '../runs/onCurrentSnapshot.ts';
import { type EventInput, type ParsedEvent, parseEvent } from './eventInput.ts';
import { appsOfRunner, planEvent } from './planEvent.ts';
import { deliverEvent } from './wakeWaiters.ts';

/** The answer of `POST /events` (4.3). */
export interface EventAnswer {
  /** The event's log id; of the first event when this one was a repeat. */
  eventId: string | undefined;
  /** The first run of `triggered` that there is. */
  runId: string | undefined;
  /** Runs whose wait this event ended. */
  woke: number;
  /** Whether it repeats an event of before: then it came to nothing. */
  deduped: boolean;
  suspended: boolean;
  triggered: readonly Triggered[];
}

/**
 * Records an event, starts the runs that it triggers and wakes those that wait for it (4.3, 6.1). When it resolves, all
 * of that is committed. Throws `invalid`.
 */
export async function sendEvent(
  ctx: EngineContext,
  { projectId, input }: { projectId: string; input: EventInput },
): Promise<EventAnswer> {
  const event = parseEvent(input);
  const admission = await onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    requireAddressee(snapshot, event);
    const { intake } = await planEvent(ctx, snapshot, event, { source: 'api', sourceRunId: undefined, depth: 0 });
    const answer = await admit(ctx, intake);
    return answer.kind === 'stale' ? 'stale' : answer;
  });
  if (admission.kind === 'deduped') return repeated(admission);
  const { event: recorded } = admission.intake;
  if (!recorded) throw new Error('an event was not recorded');
  return created(recorded, await deliverEvent(ctx, recorded));
}

const repeated = (admission: Extract<Admission, { kind: 'deduped' }>): EventAnswer => ({
  eventId: admission.refId,
  runId: undefined,
  woke: 0,
  deduped: true,
  suspended: false,
  triggered: [],
});

const created = ({ eventId, triggered, suspended }: NewEvent, woke: number): EventAnswer => ({
  eventId,
  runId: triggered.find((each) => each.runId !== undefined)?.runId,
  woke,
  deduped: false,
  suspended,
  triggered,
});

/** An event that names an app or a runner must have someone there to receive it; a broadcast need not. */
function requireAddressee(snapshot: ProjectSnapshot, event: ParsedEvent): void {
  const { name, targetApp, runner } = event;
  if (runner !== undefined) {
    const apps = [...appsOfRunner(snapshot, runner)].filter((app) => targetApp === undefined || app === targetApp);
    if (apps.some((app) => snapshot.knowsEvent(name, app))) return;
  } else if (targetApp === undefined || snapshot.knowsEvent(name, targetApp)) {
    return;
  }
  throw invalid('event names an unregistered workflow');
}
