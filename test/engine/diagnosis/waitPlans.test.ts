import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { diagnoseRuns, readWaiting } from '../../../src/engine/diagnosis/index.ts';
import { selectRunRows } from '../../../src/engine/runs/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let client: pg.PoolClient;
/** Everything on one connection, in one transaction: PostgreSQL counts what that does. */
let engine: EngineContext;
let projectId: string;

const runs = 20_000;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', concurrency: { limit: 1 } }]);
  const seeds = [
    `with lane as (insert into lane (project_id, app, workflow) values ($1, 'default', 'flow') returning id),
      made as (
        insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, depth)
        select uuidv7(n * interval '1 ms'), $1, 'default', 'flow', 'v1', 'queued', 'event', '{}', 0 from generate_series(1, ${runs}) n
        returning id
      ),
      framed as (insert into run_frame (run_id, seq, kind, payload) select id, 1, 'run_status', '{"status":"queued"}' from made)
     insert into run_work (run_id, project_id, lane_id, state, position, seq, slot, slot_key, gate)
     select id, $1, (select id from lane), 'gated', row_number() over (order by id), 1, 7, '', 'slot' from made`,
    `with made as (
       insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, error, started_at, ended_at, depth)
       select uuidv7(), $1, 'default', 'flow', 'v1', 'failed', 'event', '{}', '{"message":"no"}', now(), now() - n * interval '1 s', 0
       from generate_series(1, ${runs}) n
       returning id, ended_at
     )
     insert into run_step (run_id, index, attempt, step_id, name, op, status, error, started_at, ended_at)
     select id, 0, 1, 'a', 'a', 'StepRun', 'failed', '{"message":"no"}', ended_at, ended_at from made`,
    `with made as (
       insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, started_at, depth)
       select uuidv7(), $1, 'default', 'flow', 'v1', 'waiting', 'event', '{}', now(), 0 from generate_series(1, ${runs}) n
       returning id
     ),
     stepped as (
       insert into run_step (run_id, index, attempt, step_id, name, op, status, event_name, started_at)
       select id, 0, 1, 'a', 'pay', 'WaitForEvent', 'waiting', 'paid', now() from made
     ),
     heard as (
       insert into run_wait (run_id, step_index, project_id, event_name, event_if, created_at)
       select id, 0, $1, 'paid', 'data > 1', now() - interval '1 hour' from made
     )
     insert into run_work (run_id, project_id, lane_id, state, position, seq, claim_no)
     select id, $1, (select id from lane where project_id = $1), 'parked', 1, 0, 1 from made`,
    `insert into event (id, project_id, app, name, source, triggered)
     select uuidv7(), $1, 'default', 'paid', 'api', '[]' from generate_series(1, ${runs}) n`,
  ];
  for (const text of seeds) await test.db.query({ text, values: [projectId] });
  for (const table of ['run', 'run_work', 'run_frame', 'run_step', 'run_wait', 'event'])
    await test.db.query(`vacuum analyze ${table}`);
  client = await test.db.pool.connect();
  const query = client.query.bind(client) as EngineContext['db']['query'];
  engine = { ...test.engine, db: { ...test.db, query, transaction: (work) => work({ ...test.db, query }) } };
});
afterAll(() => client.release());

/** What the transaction has read of the tables that grow with runs. */
async function read(): Promise<{ scanned: number; fetched: number }> {
  const { rows } = await client.query<{ scanned: number; fetched: number }>(
    `select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as fetched from pg_stat_xact_user_tables
     where relname in ('run', 'run_work', 'run_frame', 'run_step', 'run_wait', 'event', 'ai_usage')`,
  );
  return rows[0] ?? { scanned: 0, fetched: 0 };
}

async function costOf(ask: () => Promise<unknown>): Promise<{ scanned: number; fetched: number }> {
  await client.query('begin');
  const before = await read();
  await ask();
  const after = await read();
  await client.query('rollback');
  return { scanned: after.scanned - before.scanned, fetched: after.fetched - before.fetched };
}

const runWhere = async (condition: string): Promise<string> => {
  const { rows } = await test.db.query<{ id: string }>(
    `select r.id from run r left join run_work w on w.run_id = r.id
     where r.project_id = '${projectId}' and ${condition} order by w.position desc, r.ended_at desc limit 1`,
  );
  return rows[0]?.id ?? '';
};

describe.each(['force_generic_plan', 'force_custom_plan'])('with a %s, PostgreSQL scans no table to tell', (mode) => {
  beforeAll(() => client.query(`set plan_cache_mode = ${mode}`));

  it('for what the last run behind a key waits', async () => {
    const runId = await runWhere("w.state = 'gated'");
    const waiting = () => readWaiting(engine, { projectId, runIds: [runId] });
    const causes = (await waiting()).get(runId);
    expect(causes?.[1]).toMatchObject({ kind: 'concurrency', ahead: { count: 1000, isMore: true } });
    const { scanned, fetched } = await costOf(waiting);
    expect(scanned).toBe(0);
    expect(fetched).toBeLessThan(1_200);
  });

  it('which events a guard has refused', async () => {
    const runId = await runWhere("w.state = 'parked'");
    const waiting = () => readWaiting(engine, { projectId, runIds: [runId] });
    const [cause] = (await waiting()).get(runId) ?? [];
    expect(cause).toMatchObject({ kind: 'event', refused: [{}, {}, {}] });
    const { scanned, fetched } = await costOf(waiting);
    expect(scanned).toBe(0);
    expect(fetched).toBeLessThan(200);
  });

  it('how many runs failed alike', async () => {
    const runId = await runWhere("r.status = 'failed'");
    const found = await selectRunRows(engine.db, { projectId, ids: [runId] });
    const diagnose = () => diagnoseRuns(engine, { projectId, runs: found });
    const diagnosis = (await diagnose()).get(runId);
    expect(diagnosis?.failure?.alike).toMatchObject({ count: 499, isMore: true });
    const { scanned, fetched } = await costOf(diagnose);
    expect(scanned).toBe(0);
    expect(fetched).toBeLessThan(2_000);
  });
});
