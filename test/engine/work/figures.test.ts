import { beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { countWork, oldestReady } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

// The figures of a scrape, over a queue that a test writes by hand.

const clock = new ManualClock(new Date('2030-01-01T00:00:00Z'));
const test = useEngine({ clock });
let projectId: string;

beforeEach(async () => {
  await test.db.query('truncate run_work');
  projectId = await createTestProject(test.engine);
});

/** Adds runs to the queue, each in a lane of its own, that became ready some seconds ago. */
const addReady = (runs: number, agoS: number): Promise<unknown> =>
  test.db.query(
    `insert into run_work (run_id, project_id, lane_id, state, position)
     select uuidv7(), $1, n, 'ready', extract(epoch from $2::timestamptz)::bigint * 1000000
     from generate_series(1, $3::int) n`,
    [projectId, new Date(clock.now().getTime() - agoS * 1_000), runs],
  );

const age = async (): Promise<number | undefined> => (await oldestReady(test.db, { now: clock.sql() }))[0]?.ageS;

const counts = async () => {
  const rows = await countWork(test.db, { now: clock.sql() });
  return Object.fromEntries(rows.map(({ state, gate, runs, due }) => [gate ?? state, [runs, due]]));
};

it('the age of the oldest ready run is that of the first one of any lane; 0 without ready runs', async () => {
  expect(await age()).toBe(0);
  await addReady(3, 10);
  await addReady(1, 70);
  expect(await age()).toBe(70);
});

it('priority does not change the age of a run', async () => {
  await addReady(1, 10);
  await test.db.query('update run_work set shift_ms = 5000, position = position - 5000000');
  expect(await age()).toBe(10);
});

it('runs are counted by state, and due ones among the parked', async () => {
  await addReady(7, 0);
  const put = (change: string, index: number): Promise<unknown> =>
    test.db.query(`update run_work set ${change} where lane_id = $1`, [index]);
  await put(`state = 'parked', due_at = '2029-12-31T23:59:59Z'`, 1);
  await put(`state = 'parked', due_at = '2030-01-02T00:00:00Z'`, 2);
  await put(`state = 'paused', resume_state = 'ready'`, 3);
  await put(`state = 'gated', gate = 'slot', slot = 1`, 4);
  await put(`state = 'gated', gate = 'ceiling'`, 5);
  await put(`state = 'stranded', due_at = '2030-01-02T00:00:00Z'`, 6);
  expect(await counts()).toEqual({
    ready: [1, 0],
    leased: [0, 0],
    slot: [1, 0],
    ceiling: [1, 0],
    parked: [2, 1],
    stranded: [1, 0],
    paused: [1, 0],
  });
});

it('no figure reads more of the queue than its limit', async () => {
  await addReady(12_000, 5);
  await test.db.query(`update run_work set state = 'parked' where lane_id % 2 = 0`);
  await addReady(6_000, 5);
  await test.db.query('analyze run_work');
  expect(await counts()).toMatchObject({ ready: [10_000, 0], parked: [6_000, 0] });
  const plan = await test.db.query<{ 'QUERY PLAN': string }>(
    `explain select from run_work where state = 'paused' order by run_id limit 10000`,
  );
  expect(JSON.stringify(plan.rows)).toContain('run_work_any_paused_idx');
  expect(await age()).toBe(5);
});
