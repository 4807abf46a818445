import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holdfast } from '../../../sdk/src/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { type RestServer, startRest } from '../../rest/restServer.ts';
import { insertFrame, insertRun } from '../../schema/fixtures.ts';

// Uses the client over the service itself, whose pages end early: a row here has a tenth of a
// page's size.

const pageMaxBytes = 10_000;
const text = 'x'.repeat(900);

let rest: RestServer;
let hf: Holdfast;
beforeAll(async () => {
  rest = await startRest({ settings: { limits: { ...defaultEngineSettings.limits, pageMaxBytes } } });
  hf = new Holdfast({ baseUrl: rest.url, apiKey: rest.keys.secret, app: 'shop' });
});
afterAll(() => rest.close());

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** A run that requests this many approvals. */
async function asking(count: number): Promise<string> {
  const runId = await insertRun(rest.engine, rest.projectId);
  for (let index = 0; index < count; index++) {
    await rest.engine.db.query({
      text: `insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, escalates_to, on_timeout,
               status) values ($1, $2, $3, $4, 'sign', 'refund', $5, 'high', '', 'reject', 'pending')`,
      values: [newId(), rest.projectId, runId, index, JSON.stringify({ index, text })],
    });
  }
  return runId;
}

describe('lists whose pages end early', () => {
  it('the log of a run is read to its last line', async () => {
    const id = await insertRun(rest.engine, rest.projectId);
    for (const seq of numbers(1, 35)) {
      const payload = JSON.stringify({ level: 'info', message: text, scope: 'a', attempt: 1 });
      await insertFrame(rest.engine, id, { seq, kind: 'log', payload });
    }
    expect((await all(hf.runs.logs(id))).map(({ seq }) => seq)).toEqual(numbers(1, 35));
    expect((await all(hf.runs.logs(id, { from: 3 }))).map(({ seq }) => seq)).toEqual(numbers(4, 35));
    expect(await all(hf.runs.logs(id, { levels: ['warn', 'error'], scope: 'a' }))).toEqual([]);
    expect((await all(hf.runs.logs(id, { q: 'X', from: 3 }))).map(({ seq }) => seq)).toEqual(numbers(4, 35));
  });

  it('approvals are listed up to the limit, the newest first', async () => {
    const runId = await asking(25);
    const listed = async (limit?: number) =>
      (await hf.approvals.list({ runId, limit })).map(({ args }) => (args as { index: number }).index);
    expect(await listed()).toEqual(numbers(0, 24).toReversed());
    expect(await listed(15)).toEqual(numbers(10, 24).toReversed());
    expect(await listed(5)).toEqual(numbers(20, 24).toReversed());
  });

  it('runs are listed to the last', async () => {
    const session = newId();
    for (let n = 0; n < 25; n++)
      await insertRun(rest.engine, rest.projectId, {
        session,
        status: 'failed',
        error: JSON.stringify({ message: text }),
      });
    expect(await all(hf.runs.list({ session }))).toHaveLength(25);
  });
});
