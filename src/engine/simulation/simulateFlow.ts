import type { FlowControl } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import { busy, invalid, notFound } from '../errors.ts';
import { isPolicyName } from '../flow/policies/index.ts';
import { perEngine } from '../perEngine.ts';
import { checkCeiling } from '../projects/index.ts';
import { parseFlowControl } from '../registry/index.ts';
import { Turns } from '../turns.ts';
import { type Arrival, readArrivals } from './arrivals.ts';
import { makeScratch } from './scratch.ts';
import type { SimulatedArrival } from './simulatedRun.ts';
import { Simulation } from './simulation.ts';
import { gatesOf, median, notSimulated, type SimulatedGate, simulatedPolicies } from './summary.ts';

export interface SimulationQuery {
  projectId: string;
  app: string;
  workflow: string;
  /** The policies to try, unchecked, as in a registration. Default: those in force. */
  flowControl?: unknown;
  /** The project's ceiling to try. Default: the present one. 0: none. */
  concurrencyCeiling?: number | null | undefined;
  /** Default: an hour before `until`. */
  since?: Date | null | undefined;
  /** Default: now. */
  until?: Date | null | undefined;
  /** How long each run executes, in ms. Default: as long as the real one did. */
  durationMs?: number | null | undefined;
  /** The starts that are simulated at most: the newest. 1 to 1000. */
  limit: number;
}

export interface FlowSimulation {
  since: Date;
  until: Date;
  /** Whether more starts came in that time than are simulated. Then `since` is later than asked. */
  isCapped: boolean;
  flowControl: FlowControl;
  concurrencyCeiling: number;
  gates: SimulatedGate[];
  /** Policies that were given, and have no part in a simulation. */
  notSimulated: string[];
  starts: SimulatedArrival[];
}

const hourMs = 3_600_000;
/** The duration of a run where none is known. */
const assumedMs = 1_000;
const longestDurationMs = 86_400_000;

/** A simulation keeps a processor busy for seconds, so a process runs one at a time. */
const turnsOf = perEngine(({ settings: { answerWaitMs } }) => {
  const refusal = 'too many simulations are in progress: retry';
  return new Turns({ atOnce: 1, maxWaiting: 20, waitMs: answerWaitMs, refusal });
});

/**
 * Lets the starts of a workflow in the past pass the gates again, under other policies: the
 * engine's own gates and claims, in a project of its own, in a transaction that is rolled back.
 * Nothing is changed, and no real workflow waits for it. At the beginning nothing executes,
 * and all rates are fresh. Throws `invalid` naming the field, `notFound`, or `busy`.
 */
export async function simulateFlow(ctx: EngineContext, query: SimulationQuery): Promise<FlowSimulation> {
  const { projectId, app, workflow, limit, durationMs } = query;
  const snapshot = await ctx.registry.snapshot(projectId);
  const definition = snapshot.workflow(app, workflow);
  if (!definition) throw notFound(`workflow ${workflow} is not registered in app ${app}`);
  const flowControl = tried(query.flowControl, workflow) ?? definition.flowControl ?? {};
  const ceiling = query.concurrencyCeiling ?? snapshot.concurrencyCeiling;
  checkCeiling(ceiling);
  if (durationMs !== null && durationMs !== undefined) checkDuration(durationMs);
  const until = query.until ?? ctx.clock.now();
  const since = query.since ?? new Date(until.getTime() - hourMs);
  if (since >= until) throw invalid('since must be before until');
  const policies = simulatedPolicies(flowControl);
  const asked = { projectId, app, workflow, since, until, flowControl: policies, limit };
  const { arrivals, isCapped } = await readArrivals(ctx, asked);
  const timed =
    typeof durationMs === 'number' ? arrivals.map((each) => ({ ...each, activeMs: durationMs, restMs: 0 })) : arrivals;
  const from = isCapped ? new Date(timed[0]?.atMs ?? since) : since;
  const simulate = () => play(ctx, timed, { at: from, flowControl: policies, ceiling });
  const starts = await ctx.longReads.join(() => turnsOf(ctx).take(projectId, simulate));
  return {
    ...{ since: from, until, isCapped, flowControl, concurrencyCeiling: ceiling },
    gates: gatesOf(starts, { flowControl: policies, ceiling }),
    notSimulated: notSimulated(flowControl),
    starts,
  };
}

/** The policies to try; undefined if none are given. */
function tried(value: unknown, workflow: string): FlowControl | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('flowControl must be an object');
  const unknown = Object.keys(value).find((name) => !isPolicyName(name));
  if (unknown !== undefined) throw invalid(`flowControl.${unknown} is no policy`);
  return parseFlowControl(value, workflow) ?? {};
}

function checkDuration(durationMs: number): void {
  if (Number.isInteger(durationMs) && durationMs >= 0 && durationMs <= longestDurationMs) return;
  throw invalid(`durationMs must be an integer from 0 to ${longestDurationMs}`);
}

/** Carries what a transaction found out of it, while it is rolled back. */
class RolledBack extends Error {
  readonly starts: SimulatedArrival[];

  constructor(starts: SimulatedArrival[]) {
    super('a simulation ends by its rollback');
    this.starts = starts;
  }
}

/** Lets the starts happen in a transaction, and rolls it back. */
async function play(
  ctx: EngineContext,
  arrivals: readonly Arrival[],
  world: Parameters<typeof makeScratch>[2],
): Promise<SimulatedArrival[]> {
  if (arrivals.length === 0) return [];
  const { readTimeoutMs } = ctx.settings;
  const endsMs = performance.now() + readTimeoutMs;
  const checkTime = (): void => {
    if (performance.now() > endsMs)
      throw busy(`the simulation took longer than ${readTimeoutMs} ms: give a smaller first`);
  };
  const usual = {
    activeMs: median(arrivals.flatMap(({ activeMs }) => activeMs ?? [])) ?? assumedMs,
    restMs: median(arrivals.flatMap(({ restMs }) => restMs ?? [])) ?? 0,
  };
  try {
    return await ctx.db.transaction(async (tx) => {
      const scratch = await makeScratch(ctx, tx, world);
      throw new RolledBack(await new Simulation(scratch, { usual, checkTime }).play(arrivals));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.starts;
    throw error;
  }
}
