import type { EngineContext } from '../context.ts';
import { silenceMs } from '../dispatchers/index.ts';
import { type LaneRef, type LaneState, readStatesOf } from '../inference/index.ts';
import { isSentAgain, runCauses, waitsForSteps } from './runCauses.ts';
import type { RunWait } from './runWait.ts';
import { type OpenStep, selectOpenSteps } from './sql/selectOpenSteps.ts';
import { selectWaitFacts, type WaitFacts } from './sql/selectWaitFacts.ts';
import { stepCause } from './stepCauses.ts';

/** The steps of a run that are named, the most important first. */
export const maxSteps = 20;

/** The runs on the way from a run to the one for which it waits in the end. */
const maxLevels = 10;

/**
 * All causes for which unfinished runs of a project do not move, the most important first, by run.
 * A run that executes has none. Three statements at most, however many runs and children there are.
 */
export async function readWaiting(
  ctx: EngineContext,
  { projectId, runIds }: { projectId: string; runIds: readonly string[] },
): Promise<Map<string, RunWait[]>> {
  const all = await selectWaitFacts(ctx.db, {
    projectId,
    runIds,
    children: maxSteps,
    levels: maxLevels,
    livenessMs: ctx.settings.runnerLivenessMs,
    silenceMs,
    now: ctx.clock.sql(),
  });
  const parked = all.filter(waitsForSteps).map(({ runId }) => runId);
  const steps =
    parked.length === 0 ? [] : await selectOpenSteps(ctx.db, { projectId, runIds: parked, limit: maxSteps });
  const lanes = await readStatesOf(ctx, { projectId, lanes: steps.flatMap(laneOf) });
  const causes = new Causes(all, steps, lanes);
  return new Map(runIds.map((runId) => [runId, causes.of(runId)]));
}

const laneOf = ({ laneId, keyId, provider, model }: OpenStep): LaneRef[] =>
  laneId === null || keyId === null || provider === null || model === null ? [] : [{ laneId, keyId, provider, model }];

/** The causes of each run, which name those of its children. */
class Causes {
  readonly #facts: ReadonlyMap<string, WaitFacts>;
  readonly #steps = new Map<string, OpenStep[]>();
  readonly #lanes: ReadonlyMap<string, LaneState>;
  readonly #known = new Map<string, RunWait[]>();

  constructor(facts: readonly WaitFacts[], steps: readonly OpenStep[], lanes: ReadonlyMap<string, LaneState>) {
    this.#facts = new Map(facts.map((each) => [each.runId, each]));
    this.#lanes = lanes;
    for (const step of steps) {
      const known = this.#steps.get(step.runId);
      if (known) known.push(step);
      else this.#steps.set(step.runId, [step]);
    }
  }

  of(runId: string): RunWait[] {
    const known = this.#known.get(runId);
    if (known) return known;
    const facts = this.#facts.get(runId);
    const causes = facts ? inOrder([...runCauses(facts), ...this.#ofSteps(facts)]) : [];
    this.#known.set(runId, causes);
    return causes;
  }

  /** While the pass is to be sent again, only a decision goes before (4.10). */
  #ofSteps(facts: WaitFacts): RunWait[] {
    const scene = { facts, lanes: this.#lanes, causesOf: (childRunId: string) => this.of(childRunId) };
    const causes = (this.#steps.get(facts.runId) ?? []).flatMap((step) => stepCause(step, scene) ?? []);
    return isSentAgain(facts) ? causes.filter(({ kind }) => kind === 'approval') : causes;
  }
}

/** Steps that end by themselves stay in their order: the first to end comes first. */
const inOrder = (causes: readonly RunWait[]): RunWait[] => [...causes].sort((a, b) => rankOf(a) - rankOf(b));

/** First what somebody must end, then the limits, then what ends by itself. */
function rankOf(cause: RunWait): number {
  switch (cause.kind) {
    case 'paused':
      return 0;
    case 'dispatcher':
      return 1;
    case 'runner':
      return cause.lack === 'none' || cause.lack === 'gone' ? 2 : 8;
    case 'transport':
      return 3;
    case 'approval':
      return 4;
    case 'start':
      return 5;
    case 'concurrency':
      return 6;
    case 'ceiling':
      return 7;
    case 'retry':
    case 'inference':
    case 'child':
    case 'event':
    case 'sleep':
      return 9;
  }
}
