import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { type IntakeOutcome, ingest, type Triggered } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';
import { onCurrentSnapshot } from '../runs/onCurrentSnapshot.ts';
import { type EventInput, type ParsedEvent, parseEvent } from './eventInput.ts';
import { appsOfRunner, type EventPlan, planEvent } from './planEvent.ts';
import { deliverEvent } from './wakeWaiters.ts';

/** The answer of `POST /events` (4.3). */
export interface EventAnswer {
  /** The event's log id; of the first event when this one was a repeat. */
  eventId: string | undefined;
  /** The first run of `triggered`. */
  runId: string | undefined;
  /** Runs whose wait this event ended. */
  woke: number;
  deduped: boolean;
  suspended: boolean;
  triggered: Triggered[];
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
  const { plan, outcome } = await onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    requireAddressee(snapshot, event);
    const decided = await planEvent(ctx, snapshot, event, { source: 'api', sourceRunId: undefined, depth: 0 });
    const result = await ingest(ctx, decided.intake);
    return result.kind === 'stale' ? 'stale' : { plan: decided, outcome: result };
  });
  if (outcome.kind === 'deduped') return repeated(outcome);
  const { event: recorded } = plan.intake;
  return created(plan, recorded ? await deliverEvent(ctx, recorded) : 0);
}

const repeated = (outcome: Extract<IntakeOutcome, { kind: 'deduped' }>): EventAnswer => ({
  eventId: outcome.refId,
  runId: undefined,
  woke: 0,
  deduped: true,
  suspended: false,
  triggered: [],
});

const created = (plan: EventPlan, woke: number): EventAnswer => ({
  eventId: plan.eventId,
  runId: plan.triggered[0]?.runId,
  woke,
  deduped: false,
  suspended: plan.intake.event?.suspended ?? false,
  triggered: plan.triggered,
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
