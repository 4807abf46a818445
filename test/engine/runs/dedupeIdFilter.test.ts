import { describe, expect, it } from 'vitest';
import { flushDueBuffers, triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { bulkCancelRuns, replayRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { listRuns, runConditions } from '../../../src/engine/runs/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openFlowScene } from '../flow/flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

async function open(...policies: object[]) {
  const project = await openFlowScene(
    test,
    policies.map((policy, position) => ({ name: `flow${position}`, triggers: [{ event: 'go' }], ...policy })),
  );
  const { projectId } = project;
  const { engine } = test;
  const order = { sort: 'started', dir: 'asc' } as const;
  return {
    ...project,
    sendOnce: (dedupeId: string) => sendEvent(engine, { projectId, input: { name: 'go', dedupeId } }),
    triggerOnce: (dedupeId: string, name = 'flow0') =>
      triggerWorkflow(engine, { projectId, app: 'default', name, input: { dedupeId } }),
    found: async (dedupeId: string) =>
      (await listRuns(engine, { projectId, filter: { dedupeId }, order, after: undefined, limit: 100 })).rows
        .map(({ id }) => id)
        .sort(),
  };
}

describe('runs found by a dedupeId', () => {
  it('are all that its event started, and those of triggers with the same id, in this project only', async () => {
    const one = await open({}, {});
    const other = await open({});
    const { triggered } = await one.sendOnce('a');
    const { runId } = await one.triggerOnce('a');
    await one.triggerOnce('b');
    const foreign = await other.sendOnce('a');
    expect(await one.found('a')).toEqual([...triggered.map((each) => each.runId), runId].sort());
    expect(await other.found('a')).toEqual([foreign.runId]);
    expect(await one.found('c')).toEqual([]);
    expect(await one.found('\0')).toEqual([]);
  });

  it('include that of a batch, by each of its events, and that of a debounced trigger', async () => {
    const { sendOnce, triggerOnce, found } = await open(
      { batch: { maxSize: 10, timeoutMs: 1_000 } },
      { debounce: { periodMs: 1_000 }, triggers: [] },
    );
    for (const id of ['a', 'b']) await sendOnce(id);
    await triggerOnce('c', 'flow1');
    expect(await found('a')).toEqual([]);
    clock.advance(1_000);
    await flushDueBuffers(test.engine);
    expect(await found('a')).toHaveLength(1);
    expect(await found('b')).toEqual(await found('a'));
    expect(await found('c')).toHaveLength(1);
  });

  it('do not include replays, and can be cancelled together', async () => {
    const { projectId, triggerOnce, settle, found, run } = await open({});
    const { runId = '' } = await triggerOnce('a');
    await settle();
    await replayRun(test.engine, { projectId, runId, actor: 'ops key' });
    expect(await found('a')).toEqual([runId]);
    const { runId: waiting } = await triggerOnce('b');
    await triggerOnce('c');
    const filter = { dedupeId: 'b' };
    const counts = await bulkCancelRuns(test.engine, { projectId, filter, actor: 'ops key' });
    expect(counts).toMatchObject({ matched: 1, done: 1 });
    expect(await run(waiting)).toMatchObject({ status: 'cancelled' });
  });

  it('are read by indexes, however many runs and events there are', async () => {
    const { projectId } = await open({});
    const where = runConditions(projectId, { dedupeId: 'n7' });
    await test.db.query(
      `insert into event (id, project_id, name, app, source, triggered, dedupe_id)
       select gen_random_uuid(), $1, 'x', 'a', 'api', '[]', 'n' || n from generate_series(1, 5000) n`,
      [projectId],
    );
    await test.db.query(
      `insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, depth, dedupe_id)
       select gen_random_uuid(), $1, 'a', 'w', 'v', 'queued', 'manual', '{}', 0, 'n' || n from generate_series(1, 5000) n`,
      [projectId],
    );
    await test.db.query('analyze run, event');
    const text = `explain select * from run where ${where.text} order by created_at desc, id desc limit 100`;
    const plan = JSON.stringify((await test.db.query({ text, values: where.values })).rows);
    for (const index of ['run_dedupe_id_idx', 'event_dedupe_id_idx', 'run_pkey']) expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});
