import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { insertFrame, insertRun, insertStep } from '../schema/fixtures.ts';
import { type RestServer, startRest } from './restServer.ts';

const pageMaxBytes = 10_000;
/** Ten rows to a page. */
const text = JSON.stringify('x'.repeat(998));

let rest: RestServer;
beforeAll(async () => {
  // All pages of a list together exceed the limit of an answer.
  const limits = { ...defaultEngineSettings.limits, pageMaxBytes, answerMaxBytes: 2 * pageMaxBytes };
  rest = await startRest({ settings: { limits } });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => rest.close());

/** Records the names of the statements from now on. */
function recordNames(): string[] {
  const names: string[] = [];
  const { query } = rest.engine.db;
  vi.spyOn(rest.engine.db, 'query').mockImplementation(((sent: { name?: string }) => {
    names.push(sent.name ?? '');
    return query(sent as never);
  }) as never);
  return names;
}

describe('the steps of a run', () => {
  it('are all answered, however much they hold', async () => {
    const id = await insertRun(rest.engine, rest.projectId);
    const rows: string[] = [];
    for (let index = 0; index < 60; index++) {
      await insertStep(rest.engine, id, { index, status: 'failed', error: '{"message":"x"}' });
      await insertStep(rest.engine, id, { index, attempt: 2, input: text, output: text });
      rows.push(`${index}.1`, `${index}.2`);
    }
    const { status, body } = await rest.call('GET', `/runs/${id}/steps`);
    expect(status).toBe(200);
    expect(body.map((row: { index: number; attempt: number }) => `${row.index}.${row.attempt}`)).toEqual(rows);
    expect(body[1]).toMatchObject({ input: 'x'.repeat(998), output: 'x'.repeat(998) });
    expect(await rest.call('HEAD', `/runs/${id}/steps`)).toMatchObject({ status: 200, text: '' });
  });

  it('that are few and small take one statement for their payloads, and one answer', async () => {
    const id = await insertRun(rest.engine, rest.projectId);
    for (let index = 0; index < 3; index++) await insertStep(rest.engine, id, { index, output: '1' });
    const statements = recordNames();
    const { headers, body } = await rest.call('GET', `/runs/${id}/steps`);
    expect(body).toHaveLength(3);
    expect(headers.get('content-length')).not.toBeNull();
    expect(statements.filter((name) => /Steps?/.test(name))).toEqual(['selectRunSteps', 'selectStepPayloads']);
  });

  it('are read no further once the caller has gone', async () => {
    const id = await insertRun(rest.engine, rest.projectId);
    // More than the system buffers for a connection.
    await rest.engine.db.query({
      text: `insert into run_step (run_id, index, attempt, step_id, name, op, status, output, started_at, ended_at)
             select $1, index, 1, 'hash', 'step', 'StepRun', 'succeeded', to_json(repeat('x', 9000)), now(), now()
             from generate_series(1, 3000) index`,
      values: [id],
    });
    const statements = recordNames();
    const request = get(`${rest.url}/runs/${id}/steps`, { headers: { authorization: `Bearer ${rest.keys.public}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    const read = (): number => statements.filter((name) => name === 'selectRunSteps').length;
    await vi.waitFor(() => expect(read()).toBeGreaterThan(1));
    response.destroy();
    await vi.waitFor(() => expect(rest.engine.db.pool.idleCount).toBe(rest.engine.db.pool.totalCount));
    expect(read()).toBeLessThan(2500);
  });
});

describe('a page', () => {
  it('of events ends early, and answers the cursor of the next page', async () => {
    const names: number[] = [];
    for (let n = 0; n < 25; n++) {
      await rest.call('POST', '/events', `{"name":"large","data":{"n":${n},"text":${text}}}`);
      names.unshift(n);
    }
    const seen: number[] = [];
    const sizes: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await rest.call('GET', `/events?name=large&limit=1000&cursor=${cursor}`);
      expect(page.status).toBe(200);
      seen.push(...page.body.map(({ data }: { data: { n: number } }) => data.n));
      sizes.push(page.body.length);
      cursor = page.headers.get('x-next-cursor');
    }
    expect(seen).toEqual(names);
    expect(sizes).toEqual([9, 9, 7]);
  });

  it('of runs ends early if the errors of failed runs are large', async () => {
    for (let n = 0; n < 12; n++) {
      const error = `{"message":${text}}`;
      await insertRun(rest.engine, rest.projectId, { workflow: 'failing', status: 'failed', error });
    }
    const first = await rest.call('GET', '/runs?workflow=failing');
    expect(first.body).toHaveLength(9);
    const cursor = first.headers.get('x-next-cursor');
    expect((await rest.call('GET', `/runs?workflow=failing&cursor=${cursor}`)).body).toHaveLength(3);
  });

  it('of log lines ends early, and answers the position of the next page', async () => {
    const id = await insertRun(rest.engine, rest.projectId);
    for (let seq = 1; seq <= 15; seq++) {
      const payload = `{"level":"info","message":${text},"scope":"a","attempt":1}`;
      await insertFrame(rest.engine, id, { seq, kind: 'log', payload });
    }
    const first = await rest.call('GET', `/runs/${id}/logs`);
    expect(first.body.map((line: { seq: number }) => line.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(first.headers.get('x-next-from')).toBe('10');
    const second = await rest.call('GET', `/runs/${id}/logs?from=10&limit=4`);
    expect(second.body).toHaveLength(4);
    expect(second.headers.get('x-next-from')).toBe('14');
    const third = await rest.call('GET', `/runs/${id}/logs?from=14`);
    expect(third.body).toHaveLength(1);
    expect(third.headers.has('x-next-from')).toBe(false);
  });
});
