import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { expect, vi } from 'vitest';
import { triggerWorkflow } from '../../../../src/engine/admission/index.ts';
import { runDoctor } from '../../../../src/engine/doctor/index.ts';
import { RawJson } from '../../../../src/engine/json/index.ts';
import { Scheduler } from '../../../../src/workers/scheduler/index.ts';
import { type Post, Site } from '../kit/site.ts';
import type { End } from './sayings.ts';

const terminal = ['succeeded', 'failed', 'cancelled'];

/**
 * A service in this process, dispatcher, sockets and timers included, that waits little between
 * tries.
 */
export class QuickSite {
  readonly base: Site;
  readonly post: Post;
  readonly #scheduler: Scheduler;
  readonly #invokes = new Map<string, number>();

  private constructor(base: Site, post: Post, scheduler: Scheduler) {
    this.base = base;
    this.post = post;
    this.#scheduler = scheduler;
  }

  static async open(settings: { invokeTimeoutMs?: number } = {}): Promise<QuickSite> {
    const base = await Site.open({ settings: { transportBackoffMs: 1, ...settings } });
    const post = await base.startDispatcher();
    const scheduler = new Scheduler(post.engine);
    scheduler.start();
    return new QuickSite(base, post, scheduler);
  }

  async close(): Promise<void> {
    await this.#scheduler.stop();
    await this.base.close();
  }

  /** Starts a run of a workflow, with `data` as its input. */
  async start(app: string, name: string, data: unknown): Promise<string> {
    const { projectId } = this.base;
    const input = { input: RawJson.of(data) };
    const { runId } = await triggerWorkflow(this.post.engine, { projectId, app, name, input });
    if (runId === undefined) throw new Error('no run was started');
    return runId;
  }

  /** Counts an invoke that a runner received; answers how many its run has had. */
  count({ ctx }: InvokeRequest): number {
    const nth = (this.#invokes.get(ctx.runId) ?? 0) + 1;
    this.#invokes.set(ctx.runId, nth);
    return nth;
  }

  /** Waits until a run is over. */
  async ended(runId: string) {
    let run = await this.base.run(runId);
    await vi.waitFor(
      async () => {
        run = await this.base.run(runId);
        expect(terminal).toContain(run.status);
      },
      { timeout: 30_000, interval: 100 },
    );
    return run;
  }

  async expectEnd(runId: string, { status, error, result }: End): Promise<void> {
    const run = await this.ended(runId);
    expect(run).toMatchObject({
      status,
      ...(error !== undefined && { error: { message: expect.stringContaining(error) } }),
    });
    if (result !== undefined) expect(run.result).toEqual(result);
  }

  async findings(): Promise<string[]> {
    const { checks } = await runDoctor(this.base.engine);
    return checks.flatMap(({ violations }) => violations.map(({ message }) => message));
  }
}
