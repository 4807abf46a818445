import type { LaneKey, Lanes } from '../../../engine/model/index.ts';
import type { Routes } from './routes.ts';
import type { RunnerIdentity, RunnerLink } from './runnerLink.ts';

/** The lanes of the engine. */
export interface LaneDirectory extends Pick<Lanes, 'ensure' | 'describe'> {
  /** The lanes that exist for runs pinned to these runners. Creates none. */
  pinnedTo(runners: readonly RunnerIdentity[]): Promise<ReadonlyMap<number, LaneKey>>;
}

/**
 * Learns the lanes that runners of this process take. Anycast lanes follow from the workflows of a
 * runner. Pinned lanes are created when a run is pinned. They are found when a runner connects, by
 * a hint, and by polls.
 */
export class LaneFinder {
  readonly #lanes: LaneDirectory;
  readonly #routes: Routes;

  constructor(lanes: LaneDirectory, routes: Routes) {
    this.#lanes = lanes;
    this.#routes = routes;
  }

  /** Learns, and resolves with, all lanes of runners that were just added. */
  async lanesFor(links: readonly RunnerLink[]): Promise<number[]> {
    const keys = links.flatMap(anycastLanes);
    const [ids, pinned] = await Promise.all([this.#lanes.ensure(keys), this.#lanes.pinnedTo(links)]);
    const found = new Map(pinned);
    ids.forEach((id, position) => {
      const key = keys[position];
      if (key) found.set(id, key);
    });
    return this.#learn(found);
  }

  /** The lanes among these that runners here take. */
  async servedOf(laneIds: readonly number[]): Promise<number[]> {
    const unknown = laneIds.filter((id) => !this.#routes.get(id));
    if (unknown.length > 0) this.#learn(await this.#lanes.describe(unknown));
    return laneIds.filter((id) => this.#routes.get(id));
  }

  /** Finds lanes that other processes pinned to runners here; resolves with the new ones. */
  async findPinned(): Promise<number[]> {
    const pinned = await this.#lanes.pinnedTo([...this.#routes.links()]);
    const unknown = [...pinned].filter(([id]) => !this.#routes.get(id));
    return this.#learn(new Map(unknown));
  }

  #learn(lanes: ReadonlyMap<number, LaneKey>): number[] {
    const learned: number[] = [];
    for (const [id, key] of lanes) if (this.#routes.learn(id, key)) learned.push(id);
    return learned;
  }
}

const anycastLanes = ({ projectId, app, workflows }: RunnerLink): LaneKey[] =>
  Array.from(workflows, (workflow) => ({ projectId, app, workflow, runner: '' }));
