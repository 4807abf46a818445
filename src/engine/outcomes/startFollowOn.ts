import type { EngineContext } from '../context.ts';
import { passRecorded } from '../flow/policies/index.ts';
import { buildRuns, ingestWithin, type NewRun } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { Definition } from '../model/index.ts';
import { onCurrentSnapshot, Refusal } from '../registry/index.ts';
import type { OutcomeRow } from './sql/loadOutcomes.ts';
import { holdOutcome, takeOutcome } from './sql/takeOutcome.ts';

/** Thrown out of the transaction when the snapshot turned out to be old. */
class StaleSnapshot extends Error {}

/** The event that a follow-on run sees. */
const followOnEvent = 'workflow.failed';

/**
 * Declares the consequences of runs drawn and, in the same transaction, starts the follow-on run
 * that handles a failure (3.1), if its workflow has a handler for that; paused, if the workflow has
 * nothing left to spend. A follow-on run's own failure starts nothing further. A suspended project
 * starts none until it is resumed.
 */
export async function concludeOutcomes(ctx: EngineContext, outcomes: readonly OutcomeRow[]): Promise<void> {
  const askedAtMs = performance.now();
  const handled: OutcomeRow[] = [];
  for (const outcome of outcomes) if (await isHandled(ctx, outcome, askedAtMs)) handled.push(outcome);
  const others = outcomes.filter((outcome) => !handled.includes(outcome));
  if (others.length > 0) await takeOutcome(ctx.db, { runIds: others.map((outcome) => outcome.runId) });
  for (const outcome of handled) await conclude(ctx, outcome);
}

/** Whether a follow-on run handles a failure: never that of a run which is one itself (3.1). */
export const handlesFailure = (definition: Definition | undefined, isFollowOn: boolean): boolean =>
  definition?.onFailure === true && !isFollowOn;

/** What says no must not be an old copy: the outcome is gone then. */
async function isHandled(ctx: EngineContext, outcome: OutcomeRow, askedAtMs: number): Promise<boolean> {
  const { status, projectId, app, workflow } = outcome;
  if (status !== 'failed') return false;
  const isFollowOn = outcome.onFailureOf !== null;
  const hasHandler = async (sinceMs?: number): Promise<boolean> =>
    handlesFailure((await ctx.registry.snapshot(projectId, sinceMs)).workflow(app, workflow), isFollowOn);
  return (await hasHandler()) || hasHandler(askedAtMs);
}

async function conclude(ctx: EngineContext, outcome: OutcomeRow): Promise<void> {
  await onCurrentSnapshot(ctx, outcome.projectId, async (snapshot) => {
    const definition = snapshot.workflow(outcome.app, outcome.workflow);
    if (definition?.onFailure && snapshot.suspended) return new Refusal(() => hold(ctx, outcome));
    const runs = !definition?.onFailure
      ? []
      : await buildRuns(ctx, outcome.projectId, [definition], {
          origin: 'followOn',
          keyed: RawJson.trusted(outcome.input),
          triggerKind: 'event',
          eventName: followOnEvent,
          eventId: undefined,
          session: outcome.session ?? undefined,
          runner: pinOf(outcome),
          depth: outcome.depth,
          tags: outcome.tags === null ? undefined : JSON.stringify(outcome.tags),
          input: inputOf(outcome),
          onFailureOf: outcome.runId,
        });
    const write = () => writeFollowOn(ctx, outcome, { version: snapshot.version, runs });
    return runs.length === 0 ? new Refusal(write) : write();
  });
}

/** Nobody has lost anything by a suspension: `recoverOutcomes` finds it again. */
async function hold({ db }: EngineContext, { runId, projectId }: OutcomeRow): Promise<'held'> {
  await holdOutcome(db, { runId, projectId });
  return 'held';
}

interface FollowOn {
  version: bigint;
  /** None where nobody handles the failure. */
  runs: NewRun[];
}

/** Takes the outcome, and starts what follows on it. */
async function writeFollowOn(
  ctx: EngineContext,
  outcome: OutcomeRow,
  { version, runs }: FollowOn,
): Promise<'written' | 'stale'> {
  const intake = { projectId: outcome.projectId, registryVersion: version, event: undefined, runs };
  try {
    await ctx.db.transaction(async (tx) => {
      const [taken] = await takeOutcome(tx, { runIds: [outcome.runId] });
      if (!taken || runs.length === 0) return;
      const [result] = await ingestWithin(ctx, tx, [intake]);
      if (result?.kind !== 'created') throw new StaleSnapshot();
      const starts = runs.map((run) => ({ run, gates: run.gates ?? {}, withheld: undefined }));
      await passRecorded({ ctx, tx }, starts);
    });
    return 'written';
  } catch (error) {
    if (error instanceof StaleSnapshot) return 'stale';
    throw error;
  }
}

/**
 * The pin of the run that failed, unless it failed for want of that runner: nobody would handle the
 * failure.
 */
const pinOf = ({ runner, lackedRunner }: OutcomeRow): string | undefined =>
  lackedRunner || runner === null ? undefined : runner;

/** What failed, and with which input. */
function inputOf({ runId, app, workflow, eventName, input, error }: OutcomeRow): RawJson {
  const head = JSON.stringify({ runId: runId, app, workflow }).slice(0, -1);
  const event = `{"name":${JSON.stringify(eventName ?? workflow)},"data":${input}}`;
  return RawJson.trusted(`${head},"error":${error ?? 'null'},"event":${event}}`);
}
