import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { bulkCancelRuns, bulkCeiling, bulkReplayRuns } from '../../../src/engine/control/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, type Script, steps } from '../../support/scriptedRunner.ts';
import { openScene, useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

type Filter = Parameters<typeof bulkCancelRuns>[1]['filter'];

async function newScene(handlers: Record<string, Script>) {
  const basis = await open(handlers);
  const { engine, db } = test;
  const { projectId } = basis;
  return {
    ...basis,
    replayAll: (filter: Filter) => bulkReplayRuns(engine, { projectId, actor: 'ops key', filter }),
    cancelAll: (filter: Filter) => bulkCancelRuns(engine, { projectId, actor: 'ops key', filter }),
    runs: (where: object) => db.prisma.run.findMany({ where: { projectId, ...where }, orderBy: { id: 'asc' } }),
    /** Many runs at once, parked for an hour, as the engine would have left them. */
    async parkMany(count: number): Promise<void> {
      const source = await basis.start('idle');
      await basis.settle();
      await db.query({
        text: `with more as (
            select lpad(to_hex(n), 8, '0')::text || substr($1::text, 9) as id, n from generate_series(1, $2::int) as n
          ), made as (
            insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, input, created_at, started_at)
            select m.id::uuid, r.project_id, r.app, r.workflow, r.version, r.status, r.trigger_kind, r.event_name, r.input,
              r.created_at - m.n * interval '1 ms', r.started_at
            from more m cross join run r where r.id = $1::uuid
          ), stepped as (
            insert into run_step (run_id, index, attempt, step_id, name, op, status, input, run_after, started_at)
            select m.id::uuid, s.index, s.attempt, s.step_id, s.name, s.op, s.status, s.input, s.run_after, s.started_at
            from more m cross join run_step s where s.run_id = $1::uuid
          ), framed as (
            insert into run_frame (run_id, seq, kind, payload)
            select m.id::uuid, f.seq, f.kind, f.payload from more m cross join run_frame f where f.run_id = $1::uuid
          )
          insert into run_work (run_id, project_id, lane_id, state, position, due_at, seq)
          select m.id::uuid, w.project_id, w.lane_id, w.state, w.position, w.due_at, w.seq
          from more m cross join run_work w where w.run_id = $1::uuid`,
        values: [source, count - 1],
      });
    },
  };
}

const idle: Script = () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
const quick: Script = () => complete('done');

describe('a bulk cancel', () => {
  it('cancels the unfinished matches, and counts the rest as skipped', async () => {
    const { start, pause, settle, cancelAll, runs } = await newScene({ idle, quick });
    const [waiting, paused] = [await start('idle'), await start('idle')];
    await start('quick');
    await settle();
    await pause(paused);
    const queued = await start('quick');
    const counts = await cancelAll({ app: 'default' });
    expect(counts).toMatchObject({ matched: 4, done: 3, skipped: 1, failed: 0, capped: false });
    expect((await runs({ status: 'cancelled' })).map((run) => run.id)).toEqual([waiting, paused, queued]);
  });

  it.each([
    ['workflow', { workflow: 'quick' }, ['quick']],
    ['status', { status: 'paused' }, ['paused']],
    ['an alias of statuses', { status: 'active' }, ['idle', 'quick', 'tagged']],
    ['tags', { tags: { customer: 'c1' } }, ['tagged']],
    ['all of several', { workflow: 'idle', status: 'waiting', tags: {} }, ['idle', 'tagged']],
    ['the way of starting', { runType: 'cron' }, []],
    ['what no run has', { workflow: 'idle', app: 'another' }, []],
  ] as const)('selects by %s', async (_what, filter, expected) => {
    const { start, pause, settle, cancelAll, runs } = await newScene({ idle, quick });
    const ids = {
      idle: await start('idle'),
      tagged: await start('idle', { tags: { customer: 'c1' } }),
      paused: await start('idle'),
    };
    await settle();
    await pause(ids.paused);
    const all = { ...ids, quick: await start('quick') };
    expect(await cancelAll(filter)).toMatchObject({ matched: expected.length, done: expected.length, capped: false });
    const cancelled = (await runs({ status: 'cancelled' })).map((run) => run.id);
    expect(cancelled.sort()).toEqual(expected.map((name) => all[name]).sort());
  });

  it('selects runs that started at or after an instant', async () => {
    const { start, cancelAll, run } = await newScene({ idle });
    const old = await start('idle');
    clock.advance(1000);
    const since = clock.now();
    const young = await start('idle');
    expect(await cancelAll({ since })).toMatchObject({ matched: 1, done: 1 });
    expect([(await run(old)).status, (await run(young)).status]).toEqual(['queued', 'cancelled']);
  });

  it('also cancels the children; matching children are counted themselves', async () => {
    const { start, settle, cancelAll, runs } = await newScene({
      parent: () => steps([{ op: 'RunWorkflow', name: 'call', childName: 'idle' }]),
      idle,
    });
    await start('parent');
    await settle();
    expect(await cancelAll({ app: 'default' })).toMatchObject({ matched: 2, done: 2, skipped: 0 });
    await start('parent');
    await settle();
    expect(await cancelAll({ workflow: 'parent' })).toMatchObject({ matched: 2, done: 1, skipped: 1 });
    await settle();
    expect((await runs({})).map((run) => run.status)).toEqual(Array(4).fill('cancelled'));
  });

  it('counts a run that another call ends meanwhile once', async () => {
    const { start, cancelAll } = await newScene({ idle });
    for (let count = 0; count < 20; count += 1) await start('idle');
    const both = await Promise.all([cancelAll({ workflow: 'idle' }), cancelAll({ workflow: 'idle' })]);
    expect(both.reduce((sum, each) => sum + each.done, 0)).toBe(20);
    for (const each of both) expect(each.done + each.skipped + each.failed).toBe(each.matched);
  });

  it('acts on the newest up to the ceiling, says so, and on the rest when called again', async () => {
    const { parkMany, cancelAll, runs } = await newScene({ idle });
    await parkMany(bulkCeiling + 5);
    const first = await cancelAll({ workflow: 'idle' });
    expect(first).toMatchObject({ matched: bulkCeiling + 5, done: bulkCeiling, skipped: 0, failed: 0, capped: true });
    const left = await runs({ status: 'waiting' });
    const newest = Math.max(...left.map((run) => run.createdAt.getTime()));
    const ended = await runs({ status: 'cancelled' });
    expect(ended.every((run) => run.createdAt.getTime() > newest)).toBe(true);
    const second = await cancelAll({ workflow: 'idle' });
    expect(second).toMatchObject({ matched: bulkCeiling + 5, done: 5, skipped: bulkCeiling, failed: 0, capped: false });
  });
});

describe('a bulk replay', () => {
  it('replays the ended matches, and counts the rest as skipped', async () => {
    const { start, settle, replayAll, runs } = await newScene({ idle, quick });
    const ended = [await start('quick'), await start('quick')];
    await start('idle');
    await settle();
    expect(await replayAll({ app: 'default' })).toMatchObject({
      matched: 3,
      done: 2,
      skipped: 1,
      failed: 0,
      capped: false,
    });
    const forks = await runs({ replayOf: { not: null } });
    expect(forks.map((fork) => fork.replayOf).sort()).toEqual([...ended].sort());
    expect(forks.every((fork) => fork.status === 'queued')).toBe(true);
    await settle();
    expect((await runs({ replayOf: { not: null } })).every((fork) => fork.status === 'succeeded')).toBe(true);
  });

  it('counts runs that cannot be replayed as failed', async () => {
    const { projectId, start, settle, replayAll } = await newScene({ quick, gone: quick });
    await start('quick');
    await start('gone');
    await settle();
    const { db } = test;
    await db.query({ text: "delete from workflow where project_id = $1 and name = 'gone'", values: [projectId] });
    await db.query({
      text: 'update project set registry_version = registry_version + 1 where id = $1',
      values: [projectId],
    });
    expect(await replayAll({ app: 'default' })).toMatchObject({ matched: 2, done: 1, failed: 1 });
    expect(await replayAll({ workflow: 'gone' })).toMatchObject({ matched: 1, done: 0, failed: 1 });
  });

  it('is bounded by the same ceiling, newest first', async () => {
    const { parkMany, cancelAll, replayAll, runs } = await newScene({ idle });
    await parkMany(bulkCeiling + 2);
    await cancelAll({ workflow: 'idle' });
    await cancelAll({ workflow: 'idle' });
    expect(await replayAll({ status: 'cancelled' })).toMatchObject({ done: bulkCeiling, capped: true });
    const replayed = new Set((await runs({ replayOf: { not: null } })).map((run) => run.replayOf));
    const sources = (await runs({ replayOf: null })).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    expect(sources.map((run) => replayed.has(run.id))).toEqual([...Array(bulkCeiling).fill(true), false, false]);
  });
});

describe('both', () => {
  it('are refused without a filter, with one that selects everything, and with tags beyond their limits', async () => {
    const { replayAll, cancelAll, audit } = await newScene({ idle });
    for (const filter of [{}, { app: '' }, { status: 'all' }, { workflow: null }] as const)
      for (const act of [replayAll, cancelAll])
        await expect(act(filter)).rejects.toMatchObject({
          kind: 'invalid',
          message: expect.stringContaining('filter'),
        });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']));
    for (const tags of [{ 'a b': 'x' }, { a: 'x'.repeat(257) }, { a: 1 }, many, 'x', [], {}])
      await expect(cancelAll({ tags })).rejects.toMatchObject({ kind: 'invalid' });
    expect(await audit()).toEqual([]);
  });

  it('are refused by a suspended project, even if no run matches', async () => {
    const { projectId, replayAll, cancelAll, start, run, audit } = await newScene({ idle });
    const runId = await start('idle');
    await updateProject(test.engine, { id: projectId, suspended: true });
    for (const act of [replayAll, cancelAll])
      await expect(act({ workflow: 'idle' })).rejects.toMatchObject({ kind: 'suspended' });
    expect(await run(runId)).toMatchObject({ status: 'queued' });
    expect(await audit()).toEqual([]);
  });

  it('stay within their project', async () => {
    const { cancelAll } = await newScene({ idle });
    const other = await openScene(test, { idle });
    const theirs = await other.start('idle');
    expect(await cancelAll({ workflow: 'idle' })).toMatchObject({ matched: 0, done: 0 });
    expect(await other.run(theirs)).toMatchObject({ status: 'queued' });
  });

  it('leave one entry in the audit log, with the filter and the counts', async () => {
    const { start, settle, replayAll, cancelAll, audit } = await newScene({ quick, idle });
    await start('quick');
    await start('idle', { tags: { customer: 'c1' } });
    await settle();
    await replayAll({ workflow: 'quick' });
    await cancelAll({ workflow: 'idle', tags: { customer: 'c1' } });
    const counts = { matched: 1, skipped: 0, failed: 0, capped: false };
    expect(await audit()).toMatchObject([
      {
        action: 'bulk_replay',
        runId: null,
        actor: 'ops key',
        detail: { filter: { workflow: 'quick' }, replayed: 1, ...counts },
      },
      {
        action: 'bulk_cancel',
        detail: { filter: { workflow: 'idle', tags: { customer: 'c1' } }, cancelled: 1, ...counts },
      },
    ]);
  });
});
