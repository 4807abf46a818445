import type { EngineContext } from '../context.ts';
import { noRunner, notFound } from '../errors.ts';
import { searchable, type Withheld } from '../flow/index.ts';
import { findExisting } from '../flow/policies/index.ts';
import { buildRuns, type Intake, parseTiming, type TimingInput, timesOf, type WithheldStart } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { Definition, ProjectSnapshot } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import { onCurrentSnapshot, refusal } from '../registry/index.ts';
import { capableRunners, databaseNow, isLive, neverRegistered } from '../runners/index.ts';
import { boundedText, parseTags } from '../runs/index.ts';
import { admit } from './admit.ts';
import type { Admission } from './admitWithin.ts';

/** The body of a manual trigger (4.2), unchecked. */
export interface TriggerInput extends TimingInput {
  input?: RawJson | undefined;
  eventName?: unknown;
  dedupeId?: unknown;
  runner?: unknown;
  tags?: unknown;
}

export interface TriggerAnswer {
  workflow: string;
  app: string;
  /** Undefined if the start was withheld. */
  runId: string | undefined;
  eventName: string;
  /** Why no run exists; undefined if one does. */
  withheld: Withheld | undefined;
  /** The run that caused the start to be withheld, if any. */
  existingRunId: string | undefined;
}

interface Trigger {
  projectId: string;
  app: string;
  name: string;
  input: TriggerInput;
}

const noInput = RawJson.of({});

/**
 * Starts one run of a named workflow (4.2). Throws `invalid`, `notFound` for an unknown workflow,
 * `noRunner` if no runner can serve it, and `suspended`.
 */
export async function triggerWorkflow(ctx: EngineContext, trigger: Trigger): Promise<TriggerAnswer> {
  const { projectId, app, name, input } = trigger;
  const eventName = boundedText('eventName', input.eventName) ?? name;
  const runner = boundedText('runner', input.runner);
  const tags = asText(parseTags(input.tags));
  const dedupeId = boundedText('dedupeId', input.dedupeId);
  const dedupe =
    dedupeId === undefined ? undefined : { scope: `trigger:${JSON.stringify([app, name])}`, key: searchable(dedupeId) };
  const timing = parseTiming(ctx, input);
  const start = {
    origin: 'start',
    triggerKind: 'manual',
    eventName,
    dedupe,
    dedupeId,
    eventId: undefined,
    session: undefined,
    runner,
    depth: 0,
    startedBy: ctx.origin && [ctx.origin.key],
    tags,
    // 4.2: the data of a triggered run is never null.
    input: input.input === undefined || input.input.text === 'null' ? noInput : input.input,
  } as const;

  return onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    const definition = snapshot.workflow(app, name);
    if (!definition) return refusal(notFound(`workflow ${name} is not registered in app ${app}`));
    const suspension = suspensionOf(snapshot);
    if (suspension) return refusal(suspension);
    if (!isServable(ctx, snapshot, definition, start.runner)) return refusal(unservable(definition, start.runner));
    const [run] = await buildRuns(ctx, projectId, [definition], { ...start, ...timesOf(ctx, snapshot, timing) });
    if (!run) throw new Error('no run was built');
    const intake: Intake = { projectId, registryVersion: snapshot.version, event: undefined, runs: [run] };
    const admission = await admit(ctx, intake);
    if (admission.kind === 'stale') return 'stale';
    const withheld = await withheldOf(ctx, admission);
    const runId = withheld === undefined ? run.runId : undefined;
    const { reason, existingRunId } = withheld ?? {};
    return { workflow: name, app, runId, eventName: start.eventName, withheld: reason, existingRunId };
  });
}

async function withheldOf({ db }: EngineContext, admission: Admission): Promise<WithheldStart | undefined> {
  if (admission.kind === 'created') return admission.withheld[0];
  const [existing] = await findExisting(db, { runIds: [admission.refId] });
  return { reason: 'deduped', existingRunId: existing?.id };
}

const asText = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

const unservable = ({ app, name }: Definition, pin: string | undefined): Error =>
  noRunner(
    pin === undefined ? `no live runner serves workflow ${name} of app ${app}` : neverRegistered(app, name, pin),
  );

/**
 * Whether a run could ever execute. Anycast needs a live runner. A pin needs a known runner,
 * because the run may wait for it to return.
 */
function isServable(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  { app, name }: Definition,
  pin: string | undefined,
): boolean {
  const runners = capableRunners(snapshot, app, name, pin);
  if (pin !== undefined) return runners.length > 0;
  const now = databaseNow(ctx, snapshot);
  return runners.some((each) => isLive(each, now, ctx.settings.runnerLivenessMs));
}
