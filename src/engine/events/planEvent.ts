import type { EngineContext } from '../context.ts';
import { buildRuns, type Intake, type NewEvent, type Triggered, timesOf } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import { type IncomingEvent, matchTriggers } from './matchTriggers.ts';

/** A planned event with its runs, not yet written. */
export interface EventPlan {
  intake: Intake;
  triggered: Triggered[];
}

interface Origin {
  source: NewEvent['source'];
  sourceRunId: string | undefined;
  /** The depth of the runs that the event starts. */
  depth: number;
}

const noData = RawJson.of({});

/** Matches an event with the snapshot's triggers, and prepares the record and the runs. */
export async function planEvent(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  event: IncomingEvent,
  origin: Origin,
): Promise<EventPlan> {
  const { eventId } = event;
  const { projectId } = snapshot;
  const suspended = suspensionOf(snapshot) !== undefined;
  const tags = event.tags && JSON.stringify(event.tags);
  const matched = await matchTriggers(ctx, snapshot, event);
  const runs = suspended
    ? []
    : await buildRuns(ctx, projectId, matched, {
        origin: 'start',
        triggerKind: 'event',
        eventName: event.name,
        eventId,
        session: event.session,
        runner: event.runner,
        depth: origin.depth,
        startedBy: ctx.origin && [ctx.origin.key],
        tags,
        input: event.data ?? noData,
        envelope: event.envelope,
        ...(event.timing && timesOf(ctx, snapshot, event.timing)),
      });
  const triggered = suspended
    ? matched.map(({ app, name }) => ({ app, workflow: name }))
    : runs.map(({ app, workflow, runId }) => ({ app, workflow, runId }));
  const record: NewEvent = {
    eventId,
    projectId,
    app: event.app,
    name: event.name,
    data: event.data,
    tags,
    envelope: event.envelope,
    session: event.session,
    dedupeId: event.dedupeId,
    targetApp: event.targetApp,
    runner: event.runner,
    source: origin.source,
    sourceRunId: origin.sourceRunId,
    triggered,
    suspended,
  };
  return { intake: { projectId, registryVersion: snapshot.version, event: record, runs }, triggered };
}
