import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { insertRun, insertStep, insertWorkflows } from '../schema/fixtures.ts';
import { type McpServer, startMcp } from './mcpServer.ts';

let mcp: McpServer;
beforeAll(async () => {
  mcp = await startMcp();
  await mcp.engine.db.prisma.app.create({ data: { projectId: mcp.projectId, name: 'shop' } });
  await insertWorkflows(mcp.engine, mcp.projectId, [{ app: 'shop', name: 'order' }]);
});
afterAll(() => mcp.close());

let calls = 0;
let bytes = 0;
beforeEach(() => {
  calls = 0;
  bytes = 0;
});

/** What an agent does: its calls and what it reads are counted. */
async function call(name: string, given: object) {
  const result = await mcp.tool(name, given, { search: 'toolsets=all' });
  calls += 1;
  for (const { text } of result.content) bytes += Buffer.byteLength(text);
  expect([name, result.isError, result.isError && result.content[0].text]).toEqual([name, undefined, undefined]);
  return result.structuredContent;
}

const kib = 1024;
const order = (more: Parameters<typeof insertRun>[2] = {}) =>
  insertRun(mcp.engine, mcp.projectId, { app: 'shop', workflow: 'order', ...more });

describe('an agent finds out', () => {
  it('why a run failed, by 1 call and 8 KiB', async () => {
    const error = JSON.stringify({ name: 'CardError', message: 'card declined', stack: 'at charge\n'.repeat(2_000) });
    const id = await order({ status: 'failed', error, input: JSON.stringify({ note: 'x'.repeat(200_000) }) });
    await insertStep(mcp.engine, id, { index: 0, name: 'charge', status: 'failed', error });
    const diagnosis = await call('diagnose_run', { id });
    expect(JSON.stringify(diagnosis)).toContain('card declined');
    expect(JSON.stringify(diagnosis)).toContain('charge');
    expect(calls).toBe(1);
    expect(bytes).toBeLessThanOrEqual(8 * kib);
  });

  it('why a run does not start, by 1 call', async () => {
    const id = await order({ status: 'queued' });
    const { verdict, waiting } = await call('diagnose_run', { id });
    expect(JSON.stringify([verdict, waiting]).length).toBeGreaterThan(10);
    expect([calls, bytes <= 8 * kib]).toEqual([1, true]);
  });

  it('the third step of an order, by its tag, within 3 calls', async () => {
    const id = await order({ status: 'succeeded', tags: { order: '4711' } });
    for (const [index, name] of ['reserve', 'charge', 'ship'].entries())
      await insertStep(mcp.engine, id, { index, name, output: JSON.stringify({ parcel: `P-${index}` }) });
    const { runs } = await call('list_runs', { tag: { order: '4711' } });
    expect(runs.map((run: { id: string }) => run.id)).toEqual([id]);
    const { steps } = await call('list_run_steps', { id, step: 2, include: ['output'] });
    expect(steps).toMatchObject([{ name: 'ship', output: { parcel: 'P-2' } }]);
    expect(calls).toBeLessThanOrEqual(3);
    expect(bytes).toBeLessThanOrEqual(8 * kib);
  });

  it('what an event did, within 2 calls', async () => {
    const eventId = newId();
    const runId = await order({ status: 'succeeded', eventId });
    await mcp.engine.db.query({
      text: `insert into event (id, project_id, app, name, data, tags, source, triggered, woke_runs)
             values ($1, $2, 'shop', 'order.paid', '{}', '{}', 'api', $3::json, '{}')`,
      values: [eventId, mcp.projectId, JSON.stringify([{ workflow: 'order', app: 'shop', runId }])],
    });
    expect(JSON.stringify(await call('get_event', { id: eventId }))).toContain(runId);
    expect(await call('get_run', { id: runId })).toMatchObject({ status: 'succeeded' });
    expect([calls, bytes <= 8 * kib]).toEqual([2, true]);
  });

  it('what the models cost, by 1 call', async () => {
    await call('get_ai_spend', { since: '1d' });
    expect([calls, bytes <= 8 * kib]).toEqual([1, true]);
  });
});
