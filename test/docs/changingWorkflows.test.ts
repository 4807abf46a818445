import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, type Handler, Holdfast, type WorkflowOptions } from '../../sdk/src/index.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let dataDir: string;
let service: Service;
let apiKey: string;
let hf: Holdfast;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast changes '));
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', ALLOW_UNSAFE_DATABASE: 'true' };
  service = await startService(loadSettings(env), pino({ level: 'silent' }));
  ({ secretKey: apiKey } = JSON.parse(await readFile(service.keysFile ?? '', 'utf8')));
  hf = new Holdfast({ baseUrl: service.baseUrl, apiKey, app: 'shop' });
});
afterAll(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
});

type Version = Handler<unknown, unknown> | { options: Partial<WorkflowOptions>; handler: Handler<unknown, unknown> };

let count = 0;

/** One workflow, whose code changes while a run of it waits for the event `go`. */
class Change {
  readonly id: string;
  readonly go: string;
  runId = '';
  /** The bodies that were executed, in order. */
  readonly done: string[] = [];

  constructor() {
    count += 1;
    this.id = `workflow ${count}`;
    this.go = `go ${count}`;
  }

  /** Starts a run with the first version. It ends up waiting. */
  async begin(version: Version, kind = 'event'): Promise<void> {
    await using _runner = await this.deploy(version);
    this.runId = (await hf.workflows.trigger({ app: 'shop', name: this.id })).runId ?? '';
    await this.untilItWaitsFor(kind);
  }

  async untilItWaitsFor(kind: string): Promise<void> {
    const kindOf = async (): Promise<string | undefined> => (await hf.runs.get(this.runId)).waitingFor?.kind;
    await expect.poll(kindOf, { timeout: 30_000 }).toBe(kind);
  }

  /** Lets a version serve the workflow. */
  async deploy(version: Version, others: readonly string[] = []): Promise<Connection> {
    const { options, handler } = typeof version === 'function' ? { options: {}, handler: version } : version;
    const client = new Holdfast({ baseUrl: service.baseUrl, apiKey, app: 'shop' });
    client.workflow({ id: this.id, ...options }, handler);
    for (const id of others) client.workflow({ id }, () => id);
    const connection = client.connect({ runner: this.id });
    await connection.ready;
    return connection;
  }

  /** Deploys a version, lets the run go on, and resolves with its end. */
  async finish(version: Version): Promise<{ status: string; result: unknown; error: string }> {
    await using _runner = await this.deploy(version);
    await hf.events.send({ name: this.go });
    const { status, result, error } = await hf.runs.wait(this.runId, { timeoutMs: 30_000 });
    return { status, result, error: `${error?.name}: ${error?.message}` };
  }

  async warnings(): Promise<string> {
    const lines = [];
    for await (const { level, message } of hf.runs.logs(this.runId)) if (level === 'warn') lines.push(message);
    return lines.join('\n');
  }
}

describe('a workflow that changes while a run of it waits', () => {
  let change: Change;
  let wait: (step: Parameters<Handler<unknown, unknown>>[0]['step']) => Promise<unknown>;
  let body: <T>(name: string, value: T) => () => T;
  beforeEach(() => {
    change = new Change();
    wait = (step) => step.waitForEvent('go', { event: change.go });
    body = (name, value) => () => {
      change.done.push(name);
      return value;
    };
  });

  it('gets steps behind its wait, and before it, which then run late', async () => {
    await change.begin(async ({ step }) => {
      await step.run('a', body('a', 1));
      await wait(step);
    });
    const end = await change.finish(async ({ step }) => {
      const a = await step.run('a', body('a', 1));
      const early = await step.run('early', body('early', 2));
      await wait(step);
      return [a, early, await step.run('late', body('late', 3))];
    });
    expect(end).toMatchObject({ status: 'succeeded', result: [1, 2, 3] });
    expect(change.done).toEqual(['a', 'early', 'late']);
    // The pass that executes the early step does not get as far as the wait.
    expect(await change.warnings()).toContain('did not reach "go", saved in an earlier pass');
  });

  it('executes a renamed step again, and the log names the former one', async () => {
    await change.begin(async ({ step }) => {
      await step.run('a', body('a', 1));
      await wait(step);
    });
    const end = await change.finish(async ({ step }) => {
      await step.run('b', body('b', 1));
      await wait(step);
    });
    expect(end.status).toBe('succeeded');
    expect(change.done).toEqual(['a', 'b']);
    expect(await change.warnings()).toContain('did not reach "a"');
  });

  it('finds the results of reordered steps, and ignores those of removed ones', async () => {
    await change.begin(async ({ step }) => {
      for (const name of ['a', 'b', 'c']) await step.run(name, body(name, name));
      await wait(step);
    });
    const end = await change.finish(async ({ step }) => {
      const b = await step.run('b', body('b', 'again'));
      const a = await step.run('a', body('a', 'again'));
      await wait(step);
      return [a, b];
    });
    expect(end).toMatchObject({ status: 'succeeded', result: ['a', 'b'] });
    expect(change.done).toEqual(['a', 'b', 'c']);
    expect(await change.warnings()).toContain('did not reach "c"');
  });

  it('numbers repeated ids in the order of their calls, so one more in front shifts the results', async () => {
    await change.begin(async ({ step }) => {
      await step.run('send', body('first', 'first'));
      await wait(step);
    });
    const end = await change.finish(async ({ step }) => {
      const inserted = await step.run('send', body('inserted', 'inserted'));
      const first = await step.run('send', body('first', 'first'));
      await wait(step);
      return { inserted, first };
    });
    expect(end.result).toEqual({ inserted: 'first', first: 'first' });
    expect(change.done).toEqual(['first', 'first']);
  });

  it('gives a step the saved result in its former shape', async () => {
    await change.begin(async ({ step }) => {
      await step.run('price', body('price', 4200));
      await wait(step);
    });
    const end = await change.finish(async ({ step }) => {
      const price: number | { cents: number } = await step.run('price', body('price', { cents: 4200 }));
      await wait(step);
      return typeof price === 'number' ? { cents: price } : price;
    });
    expect(end.result).toEqual({ cents: 4200 });
  });

  it('fails if a sleep takes over the name of a step, and not the other way round', async () => {
    await change.begin(async ({ step }) => {
      await step.run('x', body('x', 'text'));
      await step.sleep('y', 1);
      await wait(step);
    });
    const forgiving: Version = async ({ step }) => {
      const y = await step.run('y', body('y', 'ran'));
      await wait(step);
      return y;
    };
    const strict: Version = async ({ step }) => {
      await step.sleep('x', 1);
      await wait(step);
    };
    const failed = await change.finish(strict);
    expect(failed.status).toBe('failed');
    expect(failed.error).toMatch(/^NonDeterminismError: step "x" is a sleep, but what is saved under its name/);
    const again = await hf.runs.retryFromStep(change.runId, 'go');
    change.runId = again.id;
    await using _runner = await change.deploy(forgiving);
    await change.untilItWaitsFor('event');
    expect(await change.finish(forgiving)).toMatchObject({ status: 'succeeded', result: null });
    expect(change.done).toEqual(['x']);
  });

  it('executes a changed body with the next attempt of a step that failed', async () => {
    const retry = { maxAttempts: 2, initialDelayMs: 3_000, backoff: 'fixed' } as const;
    const broken = ({ step }: Parameters<Handler<unknown, unknown>>[0]): Promise<unknown> =>
      step.run('charge', () => Promise.reject(new Error('broken')));
    await change.begin({ options: { retry }, handler: broken }, 'retry');
    const end = await change.finish({ options: { retry }, handler: ({ step }) => step.run('charge', () => 'mended') });
    expect(end).toMatchObject({ status: 'succeeded', result: 'mended' });
  });

  it('applies a changed retry policy and a new onFailure to runs under way', async () => {
    const fails: Handler<unknown, unknown> = async ({ step }) => {
      await wait(step);
      await step.run('charge', () => Promise.reject(new Error('declined')));
    };
    await change.begin({ options: { retry: { maxAttempts: 5 } }, handler: fails });
    const told: string[] = [];
    const onFailure = ({ error }: { error: Error }): unknown => told.push(error.message);
    const options = { retry: { maxAttempts: 1 }, onFailure };
    await using _runner = await change.deploy({ options, handler: fails });
    await hf.events.send({ name: change.go });
    expect((await hf.runs.wait(change.runId)).status).toBe('failed');
    expect((await hf.runs.steps(change.runId)).filter(({ name }) => name === 'charge')).toHaveLength(1);
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(['declined']);
  });

  it('keeps the guard of a wait and the end of a sleep that have begun', async () => {
    await change.begin(async ({ step }) => step.waitForEvent('go', { event: change.go, if: 'event.data.n == 1' }));
    await using _runner = await change.deploy(async ({ step }) => {
      const event = await step.waitForEvent('go', { event: change.go, if: 'event.data.n == 2' });
      return event?.data;
    });
    expect((await hf.events.send({ name: change.go, data: { n: 2 } })).woke).toBe(0);
    expect((await hf.events.send({ name: change.go, data: { n: 1 } })).woke).toBe(1);
    expect((await hf.runs.wait(change.runId)).result).toEqual({ n: 1 });
    const nap = new Change();
    await nap.begin(({ step }) => step.sleep('nap', '3s'), 'sleep');
    expect((await nap.finish(({ step }) => step.sleep('nap', '1d'))).status).toBe('succeeded');
  });

  it('starts by its new triggers only, while runs of the former ones go on', async () => {
    const old = `old ${change.id}`;
    const handler: Handler<unknown, unknown> = async ({ step }) => {
      await wait(step);
    };
    await change.begin({ options: { triggers: [{ event: old }] }, handler });
    const next = { options: { triggers: [{ event: `new ${change.id}` }] }, handler };
    expect((await change.finish(next)).status).toBe('succeeded');
    expect((await hf.events.send({ name: old })).triggered).toEqual([]);
  });

  it('keeps its handler for its runs, if a second version has a name of its own', async () => {
    const old = {
      options: { triggers: [] },
      handler: async ({ step }: Parameters<Handler<unknown, unknown>>[0]) => wait(step).then(() => 'old'),
    };
    await change.begin({ ...old, options: { triggers: [{ event: `start ${change.id}` }] } });
    const second = `${change.id} v2`;
    await using _runner = await change.deploy(old, [second]);
    await hf.events.send({ name: change.go });
    expect((await hf.runs.wait(change.runId)).result).toBe('old');
    expect((await hf.events.send({ name: `start ${change.id}` })).triggered).toEqual([]);
    expect((await hf.events.send({ name: second })).triggered).toHaveLength(1);
  });

  it('is retired if the same runner comes back without it, and its run waits for a runner', async () => {
    await change.begin(async ({ step }) => wait(step));
    const other = new Holdfast({ baseUrl: service.baseUrl, apiKey, app: 'shop' });
    other.workflow({ id: 'another' }, () => 1);
    await using connection = other.connect({ runner: change.id });
    await connection.ready;
    await hf.events.send({ name: change.go });
    await change.untilItWaitsFor('runner');
    const answer = await fetch(`${service.baseUrl}/workflows`, { headers: { authorization: `Bearer ${apiKey}` } });
    const listed: { name: string; retiredAt?: string }[] = await answer.json();
    expect(listed.find(({ name }) => name === change.id)?.retiredAt).toEqual(expect.any(String));
    await hf.runs.cancel(change.runId);
  });

  it('goes back to the former version with the results of the newer one', async () => {
    const former: Version = async ({ step }) => {
      await step.run('a', body('a', 1));
      await wait(step);
      return 'former';
    };
    await change.begin(async ({ step }) => {
      await step.run('a', body('a', 1));
      await step.run('newer', body('newer', 2));
      await wait(step);
    });
    expect(await change.finish(former)).toMatchObject({ status: 'succeeded', result: 'former' });
    expect(change.done).toEqual(['a', 'newer']);
    expect(await change.warnings()).toContain('did not reach "newer"');
  });

  it('replays from the start with the present code, and retries from a step with saved results', async () => {
    const version =
      (mark: string): Version =>
      async ({ step }) => {
        const a = await step.run('a', body(`a ${mark}`, `a ${mark}`));
        await wait(step);
        return [a, await step.run('b', body(`b ${mark}`, `b ${mark}`))];
      };
    await change.begin(version('1'));
    expect((await change.finish(version('1'))).result).toEqual(['a 1', 'b 1']);
    await using _runner = await change.deploy(version('2'));
    const retried = await hf.runs.retryFromStep(change.runId, 'b');
    expect((await hf.runs.wait(retried)).result).toEqual(['a 1', 'b 2']);
    const replayed = await hf.runs.replay(change.runId);
    change.runId = replayed.id;
    await change.untilItWaitsFor('event');
    expect((await change.finish(version('2'))).result).toEqual(['a 2', 'b 2']);
  });
});
