import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holdfast, NonRetriableError } from '../../sdk/src/index.ts';
import { recordRun, replayRecorded, testRun } from '../../sdk/src/testing/index.ts';
import { FlowSite } from './flowSite.ts';

/** Runs of a real service become fixtures for later code. */
let site: FlowSite;
const define = (hf: Holdfast) => ({
  race: hf.workflow({ id: 'race', retry: { maxAttempts: 2, initialDelayMs: 1 } }, async ({ step, event }) => {
    const first = await Promise.race([
      step.run('slow', () => new Promise<string>((resolve) => setTimeout(() => resolve('slow'), 50))),
      step.run('fast', ({ attempt }) => {
        if (attempt === 1) throw new Error('once');
        return { n: 1e21, text: 'ü\u0000'.slice(0, 1), nothing: null };
      }),
    ]);
    await step.sleep('rest', 1);
    const asked = await step.approval('may we', { tool: 'pay', args: event.data, timeout: 1, onTimeout: 'approve' });
    return { first, asked: asked.status };
  }),
  broken: hf.workflow({ id: 'broken', retry: { maxAttempts: 3, initialDelayMs: 60_000 } }, ({ step }) =>
    Promise.all([
      step.run('would retry', () => Promise.reject(new Error('busy'))),
      step.run('fatal', () => Promise.reject(new NonRetriableError('no'))),
    ]),
  ),
  waits: hf.workflow({ id: 'waits' }, async ({ step }) => {
    await step.run('before', () => 1);
    return step.waitForEvent('forever', { event: 'never' });
  }),
});
let flows: ReturnType<typeof define>;

beforeAll(async () => {
  site = await FlowSite.open();
  flows = define(site.hf);
  await site.connect(site.hf, 'r1');
}, 120_000);
afterAll(() => site?.close(), 30_000);

describe('recordRun', () => {
  it('writes a run with its payloads and the order of its steps, which the same code replays', async () => {
    const { runId } = await site.hf.workflows.trigger(flows.race, { input: { cents: 5, note: null } });
    const run = await site.hf.runs.wait(String(runId));
    const file = join(tmpdir(), 'fixtures', 'race.json');
    const fixture = await recordRun(site.hf, run.id, { file });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(fixture)));
    expect(fixture).toMatchObject({ version: 1, run: { input: { cents: 5, note: null }, result: run.result } });
    expect([...fixture.order].sort()).toEqual(['fast', 'may we', 'rest', 'slow']);
    expect(await replayRecorded(flows.race, file)).toMatchObject({
      ...{ status: 'succeeded', added: [], result: run.result },
    });
  });

  it('replays a run that failed together with a step that would be retried', async () => {
    const { runId } = await site.hf.workflows.trigger(flows.broken);
    const run = await site.hf.runs.wait(String(runId));
    const fixture = await recordRun(site.hf, run.id);
    expect(fixture.run.error).toMatchObject({ message: 'no' });
    expect(await replayRecorded(flows.broken, fixture)).toMatchObject({ status: 'failed' });
  });

  it('records a run that is under way', async () => {
    const { runId } = await site.hf.workflows.trigger(flows.waits);
    await expect.poll(async () => (await site.hf.runs.get(String(runId))).status, { timeout: 30_000 }).toBe('waiting');
    const fixture = await recordRun(site.hf, String(runId));
    expect(fixture.order).toEqual(['before']);
    expect(await replayRecorded(flows.waits, fixture)).toMatchObject({ status: 'waiting' });
    const { waits } = define(new Holdfast({ app: 'other', apiKey: 'k' }));
    const changed = { ...waits, handler: () => Promise.resolve(null) };
    await expect(replayRecorded(changed, fixture)).rejects.toThrow('the handler ends before step "before"');
  });
});

it('the rows of a run in the test kit have the fields of those of the service', async () => {
  const { runId } = await site.hf.workflows.trigger(flows.race, { input: { cents: 5, note: null } });
  await site.hf.runs.wait(String(runId));
  const rows = await site.hf.runs.steps(String(runId));
  const t = await testRun(flows.race, { input: { cents: 5, note: null } });
  await t.settled();
  const fieldsOf = (steps: readonly object[]): unknown =>
    Object.fromEntries(
      steps
        .map((step) => Object.entries(step).map(([name, value]) => [name, typeof value] as const))
        .map((entries) => [JSON.stringify(entries.map(([name]) => name).sort()), entries.length]),
    );
  expect(fieldsOf(t.steps)).toEqual(fieldsOf(rows));
});
