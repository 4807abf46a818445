import type { ClaimedPass, Reply, Settlement as Settled } from '../../../../src/engine/passes/index.ts';
import type { News } from '../../../../src/engine/routing/index.ts';
import type { Demand, Pool, Shares } from '../../../../src/engine/work/index.ts';
import type { PassSeat, Work } from '../../../../src/workers/dispatcher/seams/work.ts';
import { Arrivals } from './arrivals.ts';

export interface Settlement {
  runId: string;
  reply: Reply;
}

/** A queue and an engine of passes that do what the test says. */
export class ScriptedWork implements Work {
  readonly settlements = new Arrivals<Settlement>();
  readonly released = new Arrivals<string>();
  readonly claims: (readonly Demand[])[] = [];
  readonly retired: string[] = [];
  readonly ready = new Map<number, string[]>();
  /** Asks for a seat, as a start would. */
  seat: (laneId: number) => PassSeat | undefined = () => undefined;
  isAlive = true;
  latest: News = { registryEpoch: 0, newestLane: 0, readyLanes: [], lostRuns: [] };
  #registered = 0;
  #runs = 0;

  /** What a settled pass does next. */
  onSettle: (settlement: Settlement) => Settled | Promise<Settled> = () => 'released';
  /** Called before each claim; may throw. */
  onClaim: () => void | Promise<void> = () => undefined;
  /** Called before each heartbeat is answered. */
  onTick: () => void | Promise<void> = () => undefined;
  /** Called when leases that nobody knows of are looked for. */
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

  news(): Promise<News> {
    return Promise.resolve(this.latest);
  }

  offerSeats(give: (laneId: number) => PassSeat | undefined): () => void {
    this.seat = give;
    return () => {
      this.seat = () => undefined;
    };
  }

  /** Runs come in the order of their numbers. */
  share(pools: readonly Pool[]): Promise<Shares> {
    const demands: Demand[] = [];
    const more: number[] = [];
    for (const { laneIds, limit } of pools) {
      const numberOf = (runId: string): number => Number(runId.slice('run-'.length));
      const line = laneIds
        .flatMap((laneId) => (this.ready.get(laneId) ?? []).map((runId) => ({ laneId, number: numberOf(runId) })))
        .sort((one, other) => one.number - other.number);
      for (const laneId of laneIds) {
        const share = line.slice(0, limit).filter((each) => each.laneId === laneId).length;
        if (share > 0) demands.push({ laneId, limit: share });
        if (line.slice(limit).some((each) => each.laneId === laneId)) more.push(laneId);
      }
    }
    return Promise.resolve({ demands, more });
  }

  async claim(dispatcherId: string, demands: readonly Demand[]): Promise<ClaimedPass[]> {
    this.claims.push(demands);
    await this.onClaim();
    return demands.flatMap(({ laneId, limit }) =>
      (this.ready.get(laneId) ?? []).splice(0, limit).map((runId) => this.pass({ runId, laneId, dispatcherId })),
    );
  }

  /** The text of the invoke of a run. */
  invokeText: (runId: string) => string = (runId) =>
    `{"event":{"name":"e","data":1e400},"steps":{},"ctx":{"runId":"${runId}"}}`;

  pass(lease: { runId: string; laneId: number; dispatcherId: string }): ClaimedPass {
    const { runId } = lease;
    const settle = async (reply: Reply): Promise<Settled> => {
      const settlement = { runId, reply };
      this.settlements.add(settlement);
      return this.onSettle(settlement);
    };
    return { ...lease, invokeText: () => this.invokeText(runId), settle };
  }

  async release(passes: readonly ClaimedPass[]): Promise<void> {
    await this.onRelease();
    for (const { runId } of passes) this.released.add(runId);
  }
}
