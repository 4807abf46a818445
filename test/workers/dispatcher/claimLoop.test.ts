import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { ClaimedPass } from '../../../src/engine/passes/index.ts';
import { ClaimLoop } from '../../../src/workers/dispatcher/passes/claimLoop.ts';
import { Routes } from '../../../src/workers/dispatcher/routing/routes.ts';
import type { RunnerLink } from '../../../src/workers/dispatcher/routing/runnerLink.ts';

const projectId = '0198a000-0000-7000-8000-000000000000';
const laneId = 1;

const link: RunnerLink = {
  projectId,
  app: 'shop',
  runnerId: 'r',
  workflows: new Set(['order']),
  maxInFlight: 10,
  load: 0,
  settling: 0,
  answerMs: 0,
  answeredAtMs: 0,
  isCongested: false,
  isSuspect: false,
  send: () => undefined,
  cancel: () => false,
};

/** A loop over one lane that a runner serves. */
function loopOver(claim: () => Promise<ClaimedPass[]>): ClaimLoop {
  const routes = new Routes();
  routes.add(link);
  routes.learn(laneId, { projectId, app: 'shop', workflow: 'order', runner: '' });
  return new ClaimLoop({
    routes,
    share: async () => ({ demands: [], more: [] }),
    claim,
    take: () => undefined,
    outlook: () => ({ settleMs: 0, waitingRoom: 100 }),
    waiting: () => [],
    claimLimit: 100,
    log: pino({ level: 'silent' }),
  });
}

describe('a claim loop that is stopped and started, as by a dispatcher that others found silent', () => {
  it('claims again although a claim was about to be made', async () => {
    const loop = loopOver(async () => []);
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
