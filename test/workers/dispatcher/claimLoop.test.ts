import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Claimed, ClaimedPass } from '../../../src/engine/passes/index.ts';
import { ClaimLoop } from '../../../src/workers/dispatcher/passes/claimLoop.ts';
import { Routes } from '../../../src/workers/dispatcher/routing/routes.ts';
import { linkOf, projectId } from './kit/link.ts';

const laneId = 1;

/** A loop over one lane that a runner serves. */
function loopOver(claim: () => Promise<Claimed<ClaimedPass>>): ClaimLoop {
  const routes = new Routes();
  routes.add(linkOf());
  routes.learn(laneId, { projectId, app: 'shop', workflow: 'order', runner: '' });
  return new ClaimLoop({
    routes,
    claim,
    take: () => undefined,
    outlook: () => ({ settleMs: 0, waitingRoom: 100 }),
    waiting: () => [],
    claimLimit: 100,
    log: pino({ level: 'silent' }),
  });
}

describe('a claim loop that is stopped and started, as by a dispatcher that others found dead', () => {
  it('claims again although a claim was about to be made', async () => {
    const loop = loopOver(async () => ({ passes: [], lanesWithMore: [] }));
    loop.start();
    loop.look([laneId]);
    await loop.stop();
    expect(loop.claims).toBe(0);
    loop.start();
    await vi.waitFor(() => expect(loop.claims).toBe(1));
  });

  it('claims again although a failed claim was about to be repeated', async () => {
    const loop = loopOver(async () => {
      throw new Error('the database is away');
    });
    loop.start();
    loop.look([laneId]);
    await vi.waitFor(() => expect(loop.claims).toBe(1));
    // The pause before the next try has begun.
    await new Promise((resolve) => setImmediate(resolve));
    await loop.stop();
    loop.start();
    await vi.waitFor(() => expect(loop.claims).toBe(2));
  });
});
