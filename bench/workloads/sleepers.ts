import { difference, perThousand } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { letSettle } from '../rows.ts';
import { addSleepers } from '../sleeperRows.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round, spread } from '../stats.ts';
import { until } from '../waiting.ts';
import { app } from '../workflows.ts';
import { defineWorkload, limitMs } from './workload.ts';

const dayMs = 86_400_000;
/** The time from adding the rows until the first is due: the service must know of them by then. */
const leadMs = 8_000;

export const sleepers = defineWorkload({
  name: 'sleepers',
  summary:
    'many sleeping runs: the rate at which others park, and the delay of wake-ups that are due at a steady rate or at once',
  sizes: {
    sleepers: [1_000, 100_000, 1_000_000],
    parks: 5_000,
    perSecond: 1_000,
    seconds: 20,
    atOnce: [10_000, 50_000],
  },
  smoke: { sleepers: [200], parks: 40, perSecond: 50, seconds: 2, atOnce: [50] },
  async measure({ sleepers, ...sizes }, options) {
    const bySleepers: Measures = {};
    for (const count of sleepers) bySleepers[count] = await among(count, sizes, options);
    return bySleepers;
  },
});

interface SleeperSizes {
  parks: number;
  perSecond: number;
  seconds: number;
  /** How many are due within one second. */
  atOnce: readonly number[];
}

function among(asleep: number, sizes: SleeperSizes, options: StageOptions): Promise<Measures> {
  const { parks, perSecond, seconds, atOnce } = sizes;
  return onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
    const dueAt = new Date(Date.now() + dayMs);
    await addSleepers(stage.database, { app, workflow: 'sleeper' }, { runs: asleep, dueAt, spreadMs: dayMs });
    await letSettle(stage.database);
    await park(stage, Math.ceil(parks / 5));
    const parking = await park(stage, parks);
    const waking = await wake(stage, 'steady', perSecond * seconds, seconds * 1000);
    const rush: Measures = {};
    for (const runs of atOnce) rush[runs] = await wake(stage, `rush of ${runs}`, runs, 1000);
    const databaseMib = Math.round(await stage.database.sizeMib());
    await examine(stage);
    return { parking, waking, dueWithinOneSecond: rush, databaseMib };
  });
}

/** Starts runs that sleep, and waits until all are parked. */
async function park(stage: Stage, runs: number): Promise<Measures> {
  const meter = await StatementMeter.start(stage.database);
  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  await stage.client.startMany({ workflow: 'sleeper', runs, concurrency: 64, ms: dayMs });
  await until(() => isQuiet(stage, new Date()), { limitMs, what: `${runs} runs asleep` });
  const doneS = (performance.now() - startedAt) / 1000;
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return { perS: round(runs / doneS, 1), cpuSPer1000Runs: perThousand(cpuS, runs), perRun: await meter.per(runs) };
}

/** Adds runs with due times over a period, and measures how late they wake. */
async function wake(stage: Stage, label: string, runs: number, spreadMs: number): Promise<Measures> {
  const dueAt = new Date(Date.now() + leadMs + runs / 10);
  await addSleepers(stage.database, { app, workflow: 'sleeper' }, { runs, dueAt, spreadMs, label });
  // The service looks up the next due time when this run of its own wakes.
  await stage.client.runToEnd('sleeper', { ms: 100 });
  const aheadMs = dueAt.getTime() - Date.now();
  if (aheadMs < 0) throw new Error(`it took ${-aheadMs} ms too long to make ${runs} rows`);
  await until(() => Date.now() >= dueAt.getTime(), { limitMs, what: 'the first is due' });
  const meter = await StatementMeter.start(stage.database);
  const cpuBefore = stage.cpuSeconds();
  const lastDueAt = new Date(dueAt.getTime() + spreadMs);
  await until(() => Date.now() > lastDueAt.getTime(), { limitMs, everyMs: 100, what: 'the last is due' });
  await until(() => isQuiet(stage, lastDueAt), { limitMs, everyMs: 100, what: `${runs} runs ended` });
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  const costs = { cpuSPer1000Runs: perThousand(cpuS, runs), perRun: await meter.per(runs) };
  return { ...(await lateness(stage, { label, runs, dueAt })), ...costs };
}

/**
 * Whether no run is unfinished, apart from sleepers that are due later. Uses partial indexes,
 * whatever the population.
 */
async function isQuiet({ database }: Stage, dueBy: Date): Promise<boolean> {
  const { rows } = await database.pool.query<{ quiet: boolean }>(
    `select not exists (select from run_work where state = 'ready')
       and not exists (select from run_work where lease_id is not null)
       and not exists (
         select from run_work where state in ('parked', 'stranded') and due_at is not null and due_at <= $1) as quiet`,
    [dueBy],
  );
  return rows[0]?.quiet === true;
}

interface Due {
  label: string;
  runs: number;
  dueAt: Date;
}

interface Late {
  woken_ms: number;
  claimed_ms: number;
  ended_ms: number;
  due_ms: number;
}

/** For each run the times from its due time to its wake-up, its claim and its end. */
async function lateness({ database }: Stage, { label, runs, dueAt }: Due): Promise<Measures> {
  const { rows } = await database.pool.query<Late>(
    `with due as (
       select id, (input ->> 'due')::float8 as due, extract(epoch from ended_at)::float8 * 1000 as ended
       from run where status = 'succeeded' and input ->> 'label' = $1
     )
     select max(f.at) filter (where f.status = 'queued') - d.due as woken_ms,
       max(f.at) filter (where f.status = 'running') - d.due as claimed_ms,
       d.ended - d.due as ended_ms, d.due as due_ms
     from due d
     join lateral (
       select extract(epoch from ts)::float8 * 1000 as at, payload ->> 'status' as status
       from run_frame where run_id = d.id and kind = 'run_status'
     ) f on true
     group by d.id, d.due, d.ended`,
    [label],
  );
  if (rows.length !== runs) throw new Error(`${rows.length} of ${runs} runs succeeded`);
  const lastEnded = Math.max(...rows.map(({ due_ms, ended_ms }) => due_ms + ended_ms));
  return {
    firstDueToLastEndedS: round((lastEnded - dueAt.getTime()) / 1000),
    wokenLateMs: spread(rows.map(({ woken_ms }) => woken_ms)),
    claimedLateMs: spread(rows.map(({ claimed_ms }) => claimed_ms)),
    endedLateMs: spread(rows.map(({ ended_ms }) => ended_ms)),
  };
}
