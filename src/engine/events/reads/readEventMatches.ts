import { EventGuards } from '../../cel/index.ts';
import type { EngineContext } from '../../context.ts';
import { RawJson } from '../../json/index.ts';
import type { Listener, ProjectSnapshot } from '../../model/index.ts';
import type { Steps } from '../../slices.ts';
import { isAddressed } from '../addressee.ts';
import { listWorkflowTimes } from '../sql/listWorkflowTimes.ts';
import type { EventRow, TriggerRecord } from './eventRow.ts';

/** What an event did to a workflow, or why it did nothing. */
export const matchOutcomes = [
  // As recorded.
  'started',
  'deduped',
  'dropped',
  'skipped',
  'debounced',
  'batched',
  'suspended',
  // By the definition that is registered now.
  'guard_refused',
  'retired',
  'other_app',
  'other_runner',
  'other_event',
  'matches_now',
] as const;
export type MatchOutcome = (typeof matchOutcomes)[number];

export interface EventMatch {
  app: string;
  workflow: string;
  outcome: MatchOutcome;
  runId: string | undefined;
  existingRunId: string | undefined;
  /** The guards that refused the event. */
  guards: readonly string[];
  /** Why a guard refused, if the event is not the reason. */
  fault: string | undefined;
  /** Whether the definition changed after the event came. */
  isChanged: boolean;
}

/** Workflows that are looked at. */
export const maxMatchedWorkflows = 10_000;

type Unmatched = Pick<EventMatch, 'outcome'> & Partial<EventMatch>;

/**
 * Tells for each workflow of the project what an event did to it: those that matched first, then
 * those that listen to its name, then all others. Nothing is recorded of workflows that did not
 * match, so their reasons follow from the definitions of now. `readData` reads the payload as JSON
 * text, if a guard needs it.
 */
export async function readEventMatches(
  ctx: EngineContext,
  { projectId, event, limit }: { projectId: string; event: EventRow; limit: number },
  readData: () => Promise<string | null>,
): Promise<EventMatch[]> {
  const [snapshot, times] = await Promise.all([
    ctx.registry.snapshot(projectId),
    listWorkflowTimes(ctx.db, { projectId, limit: maxMatchedWorkflows }),
  ]);
  const listeners = listenersByWorkflow(snapshot, event.name);
  const isGuarded = [...listeners.values()].flat().some(({ guard }) => guard);
  const data = isGuarded ? await readData() : null;
  const verdicts = await ctx.slices.run(projectId, judged({ snapshot, event, listeners, data }));
  const changedAt = new Map(times.map((each) => [nameOf(each.app, each.name), each.updatedAt]));
  const base = (app: string, workflow: string): Omit<EventMatch, 'outcome'> => ({
    ...{ app, workflow, runId: undefined, existingRunId: undefined, guards: [], fault: undefined },
    isChanged: (changedAt.get(nameOf(app, workflow)) ?? event.receivedAt) > event.receivedAt,
  });
  const matched = event.triggered.map((record) => ({
    ...base(record.app, record.workflow),
    outcome: outcomeOf(record, event.suspended),
    runId: record.runId,
    existingRunId: record.existingRunId,
  }));
  const isMatched = new Set(event.triggered.map(({ app, workflow }) => nameOf(app, workflow)));
  const others = times
    .filter(({ app, name }) => !isMatched.has(nameOf(app, name)))
    .map(({ app, name }) => ({
      ...base(app, name),
      ...(verdicts.get(nameOf(app, name)) ?? { outcome: 'other_event' as const }),
    }));
  const isNear = ({ outcome }: EventMatch): boolean => outcome !== 'other_event';
  return [...matched, ...others.filter(isNear), ...others.filter((each) => !isNear(each))].slice(0, limit);
}

const nameOf = (app: string, workflow: string): string => JSON.stringify([app, workflow]);

function outcomeOf(record: TriggerRecord, isSuspended: boolean): MatchOutcome {
  const gate = (['deduped', 'dropped', 'skipped', 'debounced', 'batched'] as const).find((each) => record[each]);
  return gate ?? (isSuspended && record.runId === undefined ? 'suspended' : 'started');
}

type ByWorkflow = ReadonlyMap<string, readonly Listener[]>;

function listenersByWorkflow(snapshot: ProjectSnapshot, eventName: string): ByWorkflow {
  const found = new Map<string, Listener[]>();
  for (const listener of snapshot.listeners(eventName)) {
    const { app, name } = listener.definition;
    const same = found.get(nameOf(app, name));
    if (same) same.push(listener);
    else found.set(nameOf(app, name), [listener]);
  }
  return found;
}

interface Judging {
  snapshot: ProjectSnapshot;
  event: EventRow;
  listeners: ByWorkflow;
  data: string | null;
}

/** Why each workflow that listens to the event's name did not match. Guards run in slices. */
function* judged({ snapshot, event, listeners, data }: Judging): Steps<Map<string, Unmatched>> {
  const { id, name, tags, session, headers } = event;
  const guards = new EventGuards(() => ({
    ...{ id, name, ts: event.receivedAt.toISOString() },
    data: data === null ? undefined : RawJson.trusted(data).parse(),
    ...{ tags: tags ?? undefined, session: session ?? undefined, headers: headers ?? undefined },
  }));
  const verdicts = new Map<string, Unmatched>();
  for (const [workflow, own] of listeners) {
    const [first] = own;
    if (!first) continue;
    const refusal = addressRefusal(snapshot, event, first);
    if (refusal) {
      verdicts.set(workflow, { outcome: refusal });
      continue;
    }
    let fault: string | undefined;
    let holds = false;
    for (const { guard } of own) {
      yield;
      holds ||= !guard || guards.holds(guard, (reason) => (fault = reason));
    }
    const sources = own.flatMap(({ guard }) => guard?.source ?? []);
    verdicts.set(workflow, holds ? { outcome: 'matches_now' } : { outcome: 'guard_refused', guards: sources, fault });
  }
  return verdicts;
}

function addressRefusal(
  snapshot: ProjectSnapshot,
  { targetApp, runner }: EventRow,
  { definition }: Listener,
): MatchOutcome | undefined {
  if (definition.isRetired) return 'retired';
  if (!isAddressed(snapshot, { targetApp: targetApp ?? undefined, runner: undefined }, definition)) return 'other_app';
  return isAddressed(snapshot, { targetApp: undefined, runner: runner ?? undefined }, definition)
    ? undefined
    : 'other_runner';
}
