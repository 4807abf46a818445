import type { LaneKey } from '../../../engine/model/index.ts';
import { freeSlots, type RunnerLink } from './runnerLink.ts';

/** A lane, and the runners here that take its runs. At least one runner. */
export interface LaneRoute {
  readonly laneId: number;
  readonly key: LaneKey;
  readonly links: RunnerLink[];
  /** The lane group: equal for lanes that the same runners serve, and only for those. */
  laneGroup: number;
  /** The index at which the next search for a free runner begins, so that equals take turns. */
  turn: number;
}

/**
 * The runners of this process and the lanes that they take (4.10, routing). In memory and
 * synchronous; a lane without a runner is forgotten.
 */
export class Routes {
  readonly #byLane = new Map<number, LaneRoute>();
  readonly #byApp = new Map<string, Set<LaneRoute>>();
  readonly #links = new Map<string, Set<RunnerLink>>();

  /** Undefined: no runner here takes the lane, or the lane was not learned yet. */
  get(laneId: number): LaneRoute | undefined {
    return this.#byLane.get(laneId);
  }

  /** Adds a lane, if a runner here takes it. */
  learn(laneId: number, key: LaneKey): LaneRoute | undefined {
    const known = this.#byLane.get(laneId);
    if (known) return known;
    const app = appKey(key);
    const links = [...(this.#links.get(app) ?? [])].filter((link) => serves(link, key));
    if (links.length === 0) return undefined;
    const laneGroup = links.reduce((sum, link) => sum + markOf(link), 0);
    const route: LaneRoute = { laneId, key, links, laneGroup, turn: 0 };
    this.#byLane.set(laneId, route);
    membersOf(this.#byApp, app).add(route);
    return route;
  }

  add(link: RunnerLink): void {
    const app = appKey(link);
    const links = membersOf(this.#links, app);
    if (links.has(link)) return;
    links.add(link);
    for (const route of this.#byApp.get(app) ?? []) {
      if (!serves(link, route.key)) continue;
      route.links.push(link);
      route.laneGroup += markOf(link);
    }
  }

  remove(link: RunnerLink): void {
    const app = appKey(link);
    const links = this.#links.get(app);
    if (!links?.delete(link)) return;
    if (links.size === 0) this.#links.delete(app);
    for (const route of this.#byApp.get(app) ?? []) this.#removeFrom(route, link);
  }

  has(link: RunnerLink): boolean {
    return this.#links.get(appKey(link))?.has(link) ?? false;
  }

  /** Learned lanes that this runner takes. */
  *lanesOf(link: RunnerLink): Iterable<number> {
    for (const { key, laneId } of this.#byApp.get(appKey(link)) ?? []) if (serves(link, key)) yield laneId;
  }

  /** All learned lanes. */
  lanes(): Iterable<number> {
    return this.#byLane.keys();
  }

  /** All runners, each once. */
  *links(): Iterable<RunnerLink> {
    for (const links of this.#links.values()) yield* links;
  }

  #removeFrom(route: LaneRoute, link: RunnerLink): void {
    const at = route.links.indexOf(link);
    if (at < 0) return;
    route.links.splice(at, 1);
    route.laneGroup -= markOf(link);
    if (route.links.length > 0) return;
    this.#byLane.delete(route.laneId);
    const app = appKey(link);
    const routes = this.#byApp.get(app);
    routes?.delete(route);
    if (routes?.size === 0) this.#byApp.delete(app);
  }
}

/** The least loaded runner with a free slot. A suspect runner is taken only without another. */
export function pickRunner(route: LaneRoute): RunnerLink | undefined {
  const { links, turn } = route;
  let best: RunnerLink | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let i = 0; i < links.length && bestCost > 0; i++) {
    const at = (turn + i) % links.length;
    const link = links[at];
    if (!link || freeSlots(link) === 0) continue;
    const cost = link.load / link.maxInFlight + (link.isSuspect ? 1 : 0);
    if (cost >= bestCost) continue;
    best = link;
    bestCost = cost;
    route.turn = at + 1;
  }
  return best;
}

const serves = (link: RunnerLink, lane: LaneKey): boolean =>
  link.projectId === lane.projectId &&
  link.app === lane.app &&
  link.workflows.has(lane.workflow) &&
  (lane.runner === '' || lane.runner === link.runnerId);

const marks = new WeakMap<RunnerLink, number>();

/**
 * A random number for each runner, whose sum identifies a set of runners: adding a runner is one
 * addition. Sums of a hundred thousand are still exact. Two sets with the same sum are next to
 * impossible, and would only share one queue.
 */
function markOf(link: RunnerLink): number {
  const mark = marks.get(link) ?? Math.floor(Math.random() * 2 ** 36);
  marks.set(link, mark);
  return mark;
}

// A project's id holds no space, so the key is unambiguous.
const appKey = ({ projectId, app }: { projectId: string; app: string }): string => `${projectId} ${app}`;

function membersOf<Member>(map: Map<string, Set<Member>>, key: string): Set<Member> {
  const known = map.get(key);
  if (known) return known;
  const made = new Set<Member>();
  map.set(key, made);
  return made;
}
