import type { StartedStep } from '@holdfast/sdk/protocol';
import type { Claimed, ClaimedPass, Reply, Settlement as Settled } from '../../../../src/engine/passes/index.ts';
import type { PolledChanges } from '../../../../src/engine/routing/index.ts';
import type { LaneGroup } from '../../../../src/engine/work/index.ts';
import type { EagerKind, EagerPass, Work } from '../../../../src/workers/dispatcher/seams/work.ts';
import { Arrivals } from './arrivals.ts';

interface Demand {
  laneId: number;
  limit: number;
}

export interface Settlement {
  runId: string;
  reply: Reply;
}

/** A scripted queue with scripted passes. */
export class ScriptedWork implements Work {
  readonly settlements = new Arrivals<Settlement>();
  readonly released = new Arrivals<string>();
  /** The limit of each claim for each lane, after the limits were divided. */
  readonly claims: (readonly Demand[])[] = [];
  /** The steps that runners told of, by message. */
  readonly started: { runId: string; steps: readonly StartedStep[] }[] = [];
  readonly retired: string[] = [];
  readonly ready = new Map<number, string[]>();
  /** Reserves a runner slot, as a start would. */
  reserve: (laneId: number, kind: EagerKind) => EagerPass | undefined = () => undefined;
  isAlive = true;
  latest: PolledChanges = { registryEpoch: 0, newestLane: 0, readyLanes: [], lostRuns: [] };
  #registered = 0;
  #runs = 0;

  /** The outcome of a settled pass. */
  onSettle: (settlement: Settlement) => Settled | Promise<Settled> = () => 'released';
  /** Called before each claim; may throw. */
  onClaim: () => void | Promise<void> = () => undefined;
  /** Called before each heartbeat is answered. */
  onTick: () => void | Promise<void> = () => undefined;
  /** Called by the search for unknown leases. */
  onSuspects: () => void | Promise<void> = () => undefined;
  onRelease: () => void | Promise<void> = () => undefined;

  /** Puts runs into a lane; their ids. */
  enqueue(laneId: number, count = 1): string[] {
    const ids = Array.from({ length: count }, () => `run-${++this.#runs}`);
    this.ready.set(laneId, [...(this.ready.get(laneId) ?? []), ...ids]);
    return ids;
  }

  register(): Promise<string> {
    this.#registered += 1;
    this.isAlive = true;
    return Promise.resolve(`dispatcher-${this.#registered}`);
  }

  async tick(): Promise<{ alive: boolean }> {
    await this.onTick();
    return { alive: this.isAlive };
  }

  async releaseSuspects(): Promise<void> {
    await this.onSuspects();
  }

  retire(dispatcherId: string): Promise<void> {
    this.retired.push(dispatcherId);
    return Promise.resolve();
  }

  poll(): Promise<PolledChanges> {
    return Promise.resolve(this.latest);
  }

  offerSlots(reserve: (laneId: number, kind: EagerKind) => EagerPass | undefined): () => void {
    this.reserve = reserve;
    return () => {
      this.reserve = () => undefined;
    };
  }

  async claim(dispatcherId: string, groups: readonly LaneGroup[]): Promise<Claimed<ClaimedPass>> {
    const shares = groups.flatMap((group) => this.#share(group));
    const demands = shares.filter(({ limit }) => limit > 0);
    if (demands.length > 0) {
      this.claims.push(demands);
      await this.onClaim();
    }
    const passes = demands.flatMap(({ laneId, limit }) =>
      (this.ready.get(laneId) ?? []).splice(0, limit).map((runId) => this.pass({ runId, laneId, dispatcherId })),
    );
    const isFull = ({ laneId, limit }: Demand): boolean =>
      passes.filter((pass) => pass.laneId === laneId).length >= limit;
    return { passes, lanesWithMore: shares.filter(isFull).map(({ laneId }) => laneId) };
  }

  /** Runs come in the order of their numbers. Lanes without runs are left out of larger groups. */
  #share({ laneIds, limit }: LaneGroup): Demand[] {
    if (laneIds.length === 1) return laneIds.map((laneId) => ({ laneId, limit }));
    const numberOf = (runId: string): number => Number(runId.slice('run-'.length));
    const line = laneIds
      .flatMap((laneId) => (this.ready.get(laneId) ?? []).map((runId) => ({ laneId, number: numberOf(runId) })))
      .sort((one, other) => one.number - other.number);
    const shareOf = (laneId: number): number => line.slice(0, limit).filter((each) => each.laneId === laneId).length;
    return laneIds
      .filter((laneId) => line.some((each) => each.laneId === laneId))
      .map((laneId) => ({ laneId, limit: shareOf(laneId) }));
  }

  /** The text of the invoke of a run. */
  invokeText: (runId: string) => string = (runId) =>
    `{"event":{"name":"e","data":1e400},"steps":{},"ctx":{"runId":"${runId}"}}`;

  /** The members of the `continue` of a run; undefined if its passes are sent in full. */
  continueText: (runId: string) => string | undefined = () => undefined;

  pass(lease: { runId: string; laneId: number; dispatcherId: string }): ClaimedPass {
    const { runId } = lease;
    const settle = async (reply: Reply): Promise<Settled> => {
      const settlement = { runId, reply };
      this.settlements.add(settlement);
      return this.onSettle(settlement);
    };
    const started: ClaimedPass['started'] = (steps) => void this.started.push({ runId, steps });
    const texts = { invokeText: () => this.invokeText(runId), continueText: () => this.continueText(runId) };
    return { ...lease, ...texts, started, settle };
  }

  async release(passes: readonly ClaimedPass[]): Promise<void> {
    await this.onRelease();
    for (const { runId } of passes) this.released.add(runId);
  }
}
