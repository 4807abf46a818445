import type { EngineContext } from '../context.ts';
import { passRecorded } from '../flow/policies/index.ts';
import { buildRuns, ingestWithin, type NewRun } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { Definition } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import { onCurrentSnapshot, Refusal } from '../registry/index.ts';
import type { OutcomeRow } from './sql/loadOutcomes.ts';
import { holdOutcome, takeOutcome } from './sql/takeOutcome.ts';

/** Rolls back the transaction, because the snapshot is outdated. */
class StaleSnapshot extends Error {}

/** The event that a follow-on run sees. */
const followOnEvent = 'workflow.failed';

/**
 * Concludes the consequences of runs. The same transaction starts the follow-on run of a failure
 * (3.1), if the workflow has a handler; paused, if the workflow's budget is spent. The failure of a
 * follow-on run starts none. A suspended project starts none until it is active again.
 */
export async function concludeConsequences(ctx: EngineContext, outcomes: readonly OutcomeRow[]): Promise<void> {
  const askedAtMs = performance.now();
  const handled: OutcomeRow[] = [];
  for (const outcome of outcomes) if (await isHandled(ctx, outcome, askedAtMs)) handled.push(outcome);
  const others = outcomes.filter((outcome) => !handled.includes(outcome));
  if (others.length > 0) await takeOutcome(ctx.db, { runIds: others.map((outcome) => outcome.runId) });
  for (const outcome of handled) await conclude(ctx, outcome);
}

/** Whether a follow-on run handles a failure: never the failure of a follow-on run (3.1). */
export const handlesFailure = (definition: Definition | undefined, isFollowOn: boolean): boolean =>
  definition?.onFailure === true && !isFollowOn;

/** A wrong *no* would lose the outcome. So an outdated copy of the registry must not decide. */
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
    if (definition?.onFailure && suspensionOf(snapshot)) return new Refusal(() => hold(ctx, outcome));
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

/** Holds the outcome during a suspension. `recoverConsequences` finds it again. */
async function hold({ db }: EngineContext, { runId, projectId }: OutcomeRow): Promise<'held'> {
  await holdOutcome(db, { runId, projectId });
  return 'held';
}

interface FollowOn {
  version: bigint;
  /** Empty if the workflow has no handler. */
  runs: NewRun[];
}

/** Takes the outcome, and starts its follow-on run. */
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
 * The pin of the failed run, unless it failed because that runner was missing. Its handler would
 * wait in vain, too.
 */
const pinOf = ({ runner, lackedRunner }: OutcomeRow): string | undefined =>
  lackedRunner || runner === null ? undefined : runner;

/** The failed run, its error and its input. */
function inputOf({ runId, app, workflow, eventName, input, error }: OutcomeRow): RawJson {
  const head = JSON.stringify({ runId: runId, app, workflow }).slice(0, -1);
  const event = `{"name":${JSON.stringify(eventName ?? workflow)},"data":${input}}`;
  return RawJson.trusted(`${head},"error":${error ?? 'null'},"event":${event}}`);
}
