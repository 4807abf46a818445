import { describe, expect, it } from 'vitest';
import { planClaim } from '../../../src/workers/dispatcher/passes/planClaim.ts';
import { pickRunner, Routes } from '../../../src/workers/dispatcher/routing/routes.ts';
import { claimRoom, type RunnerLink } from '../../../src/workers/dispatcher/routing/runnerLink.ts';
import { linkOf as link, projectId } from './kit/link.ts';

const lane = (over: { app?: string; workflow?: string; runner?: string } = {}) => ({
  projectId,
  app: 'shop',
  workflow: 'order',
  runner: '',
  ...over,
});

function routesOf(...links: RunnerLink[]): Routes {
  const routes = new Routes();
  for (const each of links) routes.add(each);
  return routes;
}

describe('routes', () => {
  it('match project, app, workflow and pin', () => {
    const routes = routesOf(link({ runnerId: 'gpu' }));
    expect(routes.learn(1, lane())).toBeDefined();
    expect(routes.learn(2, lane({ runner: 'gpu' }))).toBeDefined();
    expect(routes.learn(3, lane({ runner: 'cpu' }))).toBeUndefined();
    expect(routes.learn(4, lane({ workflow: 'refund' }))).toBeUndefined();
    expect(routes.learn(5, lane({ app: 'billing' }))).toBeUndefined();
    expect(routes.learn(6, { ...lane(), projectId: 'other' })).toBeUndefined();
    expect([...routes.lanes()]).toEqual([1, 2]);
  });

  it('add and remove a runner, in lanes learned before and after', () => {
    const [a, b] = [link({ runnerId: 'a' }), link({ runnerId: 'b' })];
    const routes = routesOf(a);
    routes.learn(1, lane());
    routes.add(b);
    expect(routes.get(1)?.links).toEqual([a, b]);
    routes.remove(a);
    expect(routes.get(1)?.links).toEqual([b]);
    routes.remove(b);
    expect(routes.get(1)).toBeUndefined();
    expect([...routes.links()]).toEqual([]);
  });

  it('prefer the least loaded in proportion to its slots, and a suspect only without another', () => {
    const [busy, free, suspect] = [link({ load: 5 }), link({ load: 8, maxInFlight: 100 }), link({ isSuspect: true })];
    const route = routesOf(busy, free, suspect).learn(1, lane());
    if (!route) throw new Error('no route');
    expect(pickRunner(route)).toBe(free);
    free.load = 100;
    expect(pickRunner(route)).toBe(busy);
    busy.load = 10;
    expect(pickRunner(route)).toBe(suspect);
    suspect.load = 10;
    expect(pickRunner(route)).toBeUndefined();
  });

  it('let equals take turns', () => {
    const links = [link({ runnerId: 'a' }), link({ runnerId: 'b' }), link({ runnerId: 'c' })];
    const route = routesOf(...links).learn(1, lane());
    if (!route) throw new Error('no route');
    const picked = [0, 1, 2, 3].map(() => pickRunner(route)?.runnerId);
    expect(picked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('skip a congested runner', () => {
    const route = routesOf(link({ isCongested: true })).learn(1, lane());
    expect(route && pickRunner(route)).toBeUndefined();
  });
});

const pace = (settleMs: number) => ({ settleMs, nowMs: 0 });

describe('the room for claims', () => {
  it('is the free slots of a slow runner; settling passes count as occupied', () => {
    expect(claimRoom(link({ load: 3, settling: 2, answerMs: 10_000 }), pace(5))).toBe(5);
    expect(claimRoom(link({ maxInFlight: 1, settling: 1, answerMs: 10_000 }), pace(5))).toBe(0);
  });

  it('is more than the slots of a runner that answers faster than commits take, but bounded', () => {
    expect(claimRoom(link({ answerMs: 5 }), pace(5))).toBe(20);
    expect(claimRoom(link({ answerMs: 0.01 }), pace(1_000))).toBe(40);
    expect(claimRoom(link({ answerMs: 0 }), pace(5))).toBe(10);
  });

  it('is no more than the slots of a runner that is full and has answered nothing for a second', () => {
    const full = link({ answerMs: 5, load: 10, answeredAtMs: 2_000 });
    expect(claimRoom(full, { settleMs: 5, nowMs: 2_900 })).toBe(10);
    expect(claimRoom(full, { settleMs: 5, nowMs: 3_100 })).toBe(0);
    // A runner without open invokes keeps its measured speed.
    expect(claimRoom({ ...full, load: 9 }, { settleMs: 5, nowMs: 60_000 })).toBe(11);
  });
});

describe('C3: lane groups', () => {
  const plan = (routes: Routes, laneIds: number[], over: Partial<Parameters<typeof planClaim>[0]> = {}) =>
    planClaim({ routes, laneIds, limit: 1_000, waitingRoom: 1_000, settleMs: 0, nowMs: 0, waiting: [], ...over });

  it('put lanes with the same runners into one queue, which has all their slots', () => {
    const workflows = new Set(['order', 'refund', 'stock']);
    const routes = routesOf(link({ workflows }), link({ runnerId: 'other', workflows }));
    for (const [i, workflow] of ['order', 'refund', 'stock'].entries()) routes.learn(i + 1, lane({ workflow }));
    expect(plan(routes, [1, 2, 3])).toEqual([{ laneIds: [1, 2, 3], limit: 20 }]);
  });

  it('count the waiting passes of all their lanes, and skip any number of full groups', () => {
    const workflows = new Set(Array.from({ length: 600 }, (_, n) => `w${n}`));
    const full = link({ workflows, load: 10 });
    const routes = routesOf(full, link({ runnerId: 'idle', workflows: new Set(['order', 'refund']) }));
    for (const [n, workflow] of [...workflows].entries()) routes.learn(n + 10, lane({ workflow }));
    routes.learn(1, lane());
    routes.learn(2, lane({ workflow: 'refund' }));
    const busy = [...workflows].map((_, n) => n + 10);
    expect(plan(routes, [...busy, 1])).toEqual([{ laneIds: [1], limit: 10 }]);
    expect(plan(routes, [...busy, 1], { waiting: [[2, 7]] })).toEqual([{ laneIds: [1], limit: 3 }]);
  });

  it('share the slots of a common runner, never more than it has', () => {
    const extra = link({ runnerId: 'extra', workflows: new Set(['refund']) });
    const routes = routesOf(link({ workflows: new Set(['order', 'refund']), maxInFlight: 9 }), extra);
    routes.learn(1, lane());
    routes.learn(2, lane({ workflow: 'refund' }));
    expect(plan(routes, [1, 2])).toEqual([
      { laneIds: [1], limit: 5 },
      { laneIds: [2], limit: 14 },
    ]);
    routes.remove(extra);
    expect(plan(routes, [1, 2])).toEqual([{ laneIds: [1, 2], limit: 9 }]);
    routes.add(extra);
    expect(plan(routes, [1, 2])).toHaveLength(2);
  });

  it('give a lane all slots of a runner of its own', () => {
    const routes = routesOf(link(), link({ runnerId: 'x', workflows: new Set(['refund']) }));
    routes.learn(1, lane());
    routes.learn(2, lane({ workflow: 'refund' }));
    expect(plan(routes, [1]).map(({ limit }) => limit)).toEqual([10]);
    expect(plan(routes, [2]).map(({ limit }) => limit)).toEqual([10]);
  });

  it('count passes that wait here already, and stay within the limit', () => {
    const routes = routesOf(link());
    routes.learn(1, lane());
    expect(plan(routes, [1], { waiting: [[1, 4]] })).toEqual([{ laneIds: [1], limit: 6 }]);
    expect(plan(routes, [1], { waiting: [[1, 10]] })).toEqual([]);
    expect(plan(routes, [1], { limit: 3 })).toEqual([{ laneIds: [1], limit: 3 }]);
    expect(plan(routes, [1], { limit: 0 })).toEqual([]);
  });

  it('share the lanes of one claim: a group with very many lanes excludes no other', () => {
    const workflows = new Set(Array.from({ length: 1_200 }, (_, n) => `w${n}`));
    const routes = routesOf(link({ workflows }), link({ runnerId: 'gpu', workflows: new Set(['order']) }));
    for (const [n, workflow] of [...workflows].entries()) routes.learn(n + 10, lane({ workflow }));
    routes.learn(1, lane({ runner: 'gpu' }));
    const many = [...workflows].map((_, n) => n + 10);
    const groups = plan(routes, [...many, 1]);
    expect(groups.map(({ laneIds }) => laneIds.length)).toEqual([250, 1]);
    expect(groups[1]?.laneIds).toEqual([1]);
  });

  it('leave as much of the waiting queue as they take if their runners are full', () => {
    const routes = routesOf(link({ maxInFlight: 100, load: 100, answerMs: 5 }));
    routes.learn(1, lane());
    const over = { settleMs: 5, waitingRoom: 60 };
    expect(plan(routes, [1], over)).toEqual([{ laneIds: [1], limit: 30 }]);
    // Of 60, these leave half.
    expect(plan(routes, [1], { ...over, waitingRoom: 30, waiting: [[1, 30]] })).toEqual([]);
    expect(plan(routes, [1], { ...over, waitingRoom: 40, waiting: [[1, 20]] })).toEqual([{ laneIds: [1], limit: 10 }]);
  });

  it('get their free slots even if the waiting queue is full', () => {
    const full = link({ maxInFlight: 100, load: 100, answerMs: 5 });
    const routes = routesOf(full, link({ runnerId: 'x', answerMs: 5, workflows: new Set(['refund']) }));
    routes.learn(1, lane());
    routes.learn(2, lane({ workflow: 'refund' }));
    expect(plan(routes, [1, 2], { settleMs: 5, waitingRoom: 0 })).toEqual([{ laneIds: [2], limit: 10 }]);
  });
});
