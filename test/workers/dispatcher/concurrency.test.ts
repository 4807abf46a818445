import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { Site } from './kit/site.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

let site: Site;
afterEach(() => site.close());

const longWait = { timeout: 20_000, interval: 20 };
const one = [{ name: 'order', concurrency: { limit: 1 } }];

/** The highest number of invokes that runners executed together. */
class Hands {
  most = 0;
  #now = 0;

  /** Answers whatever comes, each a little later. */
  async work(runner: SocketRunner): Promise<never> {
    for (;;) {
      const invoke = await runner.next('invoke');
      this.#now += 1;
      this.most = Math.max(this.most, this.#now);
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      this.#now -= 1;
      runner.answer(invoke);
    }
  }
}

const left = () => site.engine.db.prisma.runWork.count();

describe('runs of a workflow with a limit', () => {
  it('are executed one after another by several dispatchers, without a sweep', async () => {
    site = await Site.open();
    const posts = [await site.startDispatcher(), await site.startDispatcher()];
    const hands = new Hands();
    for (const post of posts) {
      const runner = site.connect(post);
      await runner.ready({ app: 'shop', workflows: one });
      hands.work(runner).catch(() => undefined);
    }
    for (let run = 0; run < 12; run += 1) await site.trigger(posts[run % 2]?.engine);
    await vi.waitFor(async () => expect(await left()).toBe(0), longWait);
    expect(hands.most).toBe(1);
  }, 30_000);

  it('are executed within the ceiling of their project', async () => {
    site = await Site.open();
    await updateProject(site.engine, { id: site.projectId, concurrencyCeiling: 2 });
    const post = await site.startDispatcher();
    const hands = new Hands();
    const runner = site.connect(post);
    await runner.ready({ app: 'shop', workflows: [{ name: 'order' }] });
    hands.work(runner).catch(() => undefined);
    await Promise.all(Array.from({ length: 12 }, () => site.trigger(post.engine)));
    await vi.waitFor(async () => expect(await left()).toBe(0), longWait);
    expect(hands.most).toBeLessThanOrEqual(2);
  }, 30_000);

  it('free their slot when their runner disconnects, and are executed again', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const first = site.connect(post);
    await first.ready({ app: 'shop', workflows: one, runner: 'a' });
    const runIds = [await site.trigger(post.engine), await site.trigger(post.engine)];
    await first.next('invoke');
    first.vanish();
    const second = site.connect(post);
    await second.ready({ app: 'shop', workflows: one, runner: 'b' });
    new Hands().work(second).catch(() => undefined);
    await vi.waitFor(async () => expect(await left()).toBe(0), longWait);
    for (const runId of runIds) expect(await site.run(runId)).toMatchObject({ status: 'succeeded' });
  }, 30_000);
});
