import { pino } from 'pino';
import { expect } from 'vitest';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import type { TestDatabase } from '../support/database.ts';

/** A service that passes many writes, and what must be true of its database in the end. */
export interface Service {
  /** The worker that plays it, in this folder. */
  file: string;
  checkAll: (database: TestDatabase) => Promise<void>;
}

/** Everything happened, once. */
async function checkRuns({ db }: TestDatabase): Promise<void> {
  const { rows: statuses } = await db.query(
    'select workflow, status, count(*)::int as n from run group by 1, 2 order by 1, 2',
  );
  expect(statuses).toEqual([
    { workflow: 'doomed', status: 'cancelled', n: 1 },
    { workflow: 'flow', status: 'succeeded', n: 4 },
    { workflow: 'gated', status: 'succeeded', n: 4 },
    { workflow: 'held', status: 'succeeded', n: 2 },
    { workflow: 'hooked', status: 'succeeded', n: 4 },
    { workflow: 'plain', status: 'succeeded', n: 1 },
    { workflow: 'second', status: 'succeeded', n: 4 },
    { workflow: 'signed', status: 'succeeded', n: 1 },
  ]);
  const { rows: steps } = await db.query(`
    select name, count(*)::int as n, count(distinct run_id)::int as runs from run_step
    where status = 'succeeded' group by 1 order by 1`);
  const each = (names: string[], n: number) => names.map((name) => ({ name, n, runs: n }));
  expect(steps.filter(({ n }) => n > 1)).toEqual(each(['a', 'go', 'nap', 'past', 'tell', 'told'], 4));
  expect(steps.filter(({ n }) => n === 1)).toEqual(each(['late', 'one', 'post', 'rate', 'sign', 'three', 'two'], 1));
  const { rows: decided } = await db.query('select step, status, decided_by from approval order by step');
  expect(decided).toEqual([
    { step: 'late', status: 'denied', decided_by: 'system:timeout' },
    { step: 'sign', status: 'approved', decided_by: 'test' },
  ]);
  const { rows: emitted } = await db.query("select count(*)::int as n from event where name = 'second'");
  expect(emitted).toEqual([{ n: 4 }]);
  const { rows: sent } = await db.query(`
    select d.payload, s.output ->> 'deliveryId' = d.id::text as named
    from webhook_delivery d join webhook_work w on w.delivery_id = d.id join webhook_lane l on l.id = w.lane
      join run_step s on s.run_id = d.run_id and s.name = 'post'
    where d.event_kind = 'custom'`);
  expect(sent).toEqual([{ payload: '1', named: true }]);
  const { rows: spent } = await db.query(`
    select attempt, count(*)::int as calls, sum(tokens_in)::int as tokens_in, sum(tokens_out)::int as tokens_out
    from ai_usage group by 1 order by 1`);
  expect(spent).toEqual([
    { attempt: 1, calls: 4, tokens_in: 4, tokens_out: null },
    { attempt: 2, calls: 4, tokens_in: 8, tokens_out: 12 },
  ]);
  const { rows: logs } = await db.query("select count(*)::int as n from run_frame where kind = 'log'");
  expect(logs).toEqual([{ n: 4 }]);
  await checkMessages(db);
}

/** A message and its event are both there, or neither. Each message became one event. */
async function checkMessages(db: TestDatabase['db']): Promise<void> {
  const { rows: events } = await db.query(`
    select e.name, count(*)::int as n, count(distinct e.data->>'n')::int as messages, count(d.id)::int as deliveries,
      count(a.id)::int as attempts
    from event e
    left join webhook_source_delivery d on d.event_id = e.id and d.status = 'ingested'
    left join webhook_source_attempt a on a.event_id = e.id and a.delivery_id = d.id and a.attempt = 1
    where e.source = 'webhook' group by 1 order by 1`);
  const all = { n: 4, messages: 4, deliveries: 4, attempts: 4 };
  expect(events).toEqual(['gated', 'hooked'].map((name) => ({ name, ...all })));
  const { rows: deliveries } = await db.query(`
    select count(*) filter (where status = 'ingested')::int as ingested,
      count(*) filter (where (status in ('ingested', 'deduped')) <> (body is not null))::int as wrong_bodies,
      count(*) filter (where (status = 'ingested') <> (event_id is not null))::int as wrong_events
    from webhook_source_delivery`);
  expect(deliveries).toEqual([{ ingested: 8, wrong_bodies: 0, wrong_events: 0 }]);
  const { rows: gaps } = await db.query(`
    select d.id from webhook_source_delivery d left join webhook_source_attempt a on a.delivery_id = d.id
    group by 1 having count(a.id) = 0 or max(a.attempt) <> count(a.id) or min(a.attempt) <> 1`);
  expect(gaps).toEqual([]);
  const { rows: hours } = await db.query(`
    select sum(recorded)::int as recorded, (select count(*)::int from webhook_source_delivery where status = 'unauthorized')
      as stored from webhook_source_hour`);
  expect(hours[0].recorded).toBe(hours[0].stored);
}

/** Each policy kept its promise. */
async function checkFlow({ db }: TestDatabase): Promise<void> {
  const { rows } = await db.query<{ workflow: string; statuses: string[]; inputs: string[]; events: string[] }>(`
    select workflow, array_agg(status order by id) as statuses, array_agg(input->>'n' order by id) as inputs,
      array_agg(coalesce((select string_agg(e->'data'->>'n', ',') from json_array_elements(events) e), '') order by id)
        as events
    from run group by 1`);
  const of = (workflow: string) => {
    const row = rows.find((each) => each.workflow === workflow);
    return row ?? { workflow, statuses: [], inputs: [], events: [] };
  };
  const succeeded = (count: number) => Array.from({ length: count }, () => 'succeeded');
  expect({ ...of('once'), inputs: of('once').inputs.sort() }).toMatchObject({
    statuses: succeeded(3),
    inputs: ['0', '1', '2'],
  });
  expect(of('shed')).toMatchObject({ statuses: succeeded(1), inputs: ['0'] });
  expect(of('loop')).toMatchObject({ statuses: ['cancelled', 'succeeded'], inputs: ['0', '1'] });
  // The process that died may have left time between the two: then the first had ended.
  expect(of('newest').inputs).toEqual(['0', '1']);
  expect(of('newest').statuses[1]).toBe('succeeded');
  // Likewise a burst that was cut in two.
  expect(of('last').inputs.at(-1)).toBe('2');
  expect(of('last').statuses).toEqual(succeeded(of('last').statuses.length));
  const batches = of('many').events.map((each) => each.split(','));
  expect(batches.flat().sort()).toEqual(['0', '1', '10', '11', '12', '13', '2', '3', '4', '5', '6']);
  expect(Math.max(...batches.map((each) => each.length))).toBeLessThanOrEqual(3);
  expect(of('narrow').statuses).toEqual(succeeded(4));
  expect(of('spendy').statuses).toEqual(succeeded(3));
  expect(of('dear').statuses).toEqual(succeeded(1));
  expect(of('queue')).toMatchObject({ statuses: succeeded(2), inputs: ['0', '1'] });
  expect(of('adopted').statuses).toEqual(succeeded(1));
  expect(of('paced')).toMatchObject({ statuses: succeeded(2), inputs: ['0', '1'] });
  expect({ ...of('booked'), inputs: of('booked').inputs.sort() }).toMatchObject({
    statuses: succeeded(2),
    inputs: ['0', '1'],
  });
  expect(of('quiet')).toMatchObject({ statuses: succeeded(1), inputs: ['0'] });
}

/** Each delivery was attempted to its end, with numbers that have no gap, and none is left over. */
async function checkWebhooks({ db }: TestDatabase): Promise<void> {
  const { rows: ends } = await db.query(`
    select e.name, d.status, e.enabled, count(*)::int as n
    from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id group by 1, 2, 3 order by 1, 2`);
  const left = ends.filter(({ name }) => name !== 'broken');
  expect(left).toEqual([
    { name: 'flaky', status: 'succeeded', enabled: true, n: 8 },
    { name: 'good', status: 'succeeded', enabled: true, n: 8 },
  ]);
  const broken = ends.filter(({ name }) => name === 'broken');
  expect(broken.reduce((sum, { n }) => sum + n, 0)).toBe(8);
  for (const { status, enabled } of broken)
    expect([status, enabled]).toEqual([expect.stringMatching(/exhausted|dead/), false]);
  const { rows: gaps } = await db.query(`
    select d.id from webhook_delivery d left join webhook_attempt a on a.delivery_id = d.id group by d.id
    having count(a.id) <> d.attempt_count or count(a.id) = 0 or max(a.attempt) <> count(a.id) or min(a.attempt) <> 1`);
  expect(gaps).toEqual([]);
  const { rows: rest } = await db.query('select count(*)::int as n from webhook_work');
  expect(rest).toEqual([{ n: 0 }]);
  const { rows: audited } = await db.query(
    "select count(*)::int as n from control_action where action = 'disable_webhook_endpoint'",
  );
  expect(audited).toEqual([{ n: 1 }]);
}

/**
 * Two runs ask five times, and eight runs once before they sleep. Each step was answered once, each
 * send has an end, and each that may be billed is recorded.
 */
async function checkInference({ db }: TestDatabase): Promise<void> {
  const { rows: runs } = await db.query('select status, count(*)::int as n from run group by 1');
  expect(runs).toEqual([{ status: 'succeeded', n: 10 }]);
  const { rows: steps } = await db.query('select status, count(*)::int as n from run_step group by 1');
  expect(steps).toEqual([{ status: 'succeeded', n: 26 }]);
  const { rows: ends } = await db.query(`
    select count(*) filter (where outcome = 'answered')::int as answered, count(*) filter (where outcome is null)::int as open,
      count(*) filter (where outcome <> 'refused' and u.run_id is null)::int as unrecorded,
      count(*) filter (where outcome = 'refused' and u.run_id is not null)::int as overcharged,
      count(*) filter (where u.unknown <> (outcome = 'unknown'))::int as misjudged
    from inference_send s
    left join ai_usage u on u.run_id = s.run_id and u.step_index = s.step_index and u.attempt = s.attempt and u.send = s.number`);
  expect(ends).toEqual([{ answered: 18, open: 0, unrecorded: 0, overcharged: 0, misjudged: 0 }]);
  const { rows: left } = await db.query('select count(*)::int as calls from inference_call');
  expect(left).toEqual([{ calls: 0 }]);
}

export const services: readonly Service[] = [
  { file: 'crashWorker.mjs', checkAll: checkRuns },
  { file: 'flowWorker.mjs', checkAll: checkFlow },
  { file: 'webhookWorker.mjs', checkAll: checkWebhooks },
  { file: 'inferenceWorker.mjs', checkAll: checkInference },
];

/** Throws unless a service came to its end with everything as it must be, also to the doctor. */
export async function check({ checkAll }: Service, database: TestDatabase): Promise<void> {
  await checkAll(database);
  const engine = createEngine({ db: database.db, log: pino({ level: 'silent' }) });
  expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
}
