import { instant, statement } from '../../db/index.ts';

interface WorkCount {
  state: string;
  /** The limit that gated runs wait for; null for others. */
  gate: 'slot' | 'ceiling' | null;
  runs: number;
  /** Due runs, which wait for the next look at the clock. */
  due: number;
}

/** Further runs of a state are not counted. */
export const countedRuns = 10_000;

/** SQL: a row of the answer. `rows` selects rows by an index, in its order. */
const counted = (state: string, gate: string, rows: string, due = '0'): string => `
    select '${state}' as state, ${gate}::text as gate, (select count(*) from (${rows} limit ${countedRuns}) c)::int as runs,
      ${due}::int as due`;

const byIndex = (where: string, order: string): string => `select from run_work where ${where} order by ${order}`;

const dueOf = (state: string): string => `(select count(*) from (
        select from run_work where state in ('parked', 'stranded') and state = '${state}' and due_at is not null
          and due_at <= $now
        order by due_at limit ${countedRuns}
      ) d)`;

/**
 * Unfinished runs of all projects, by the state of their work and by their gate, each counted up to
 * a limit. The cost of a scrape so has a limit, too: each count rides a partial index. Parked runs
 * are counted among the first idle ones, which are parked or gated.
 */
export const countWork = statement<WorkCount>('countWork').reads({
  params: { now: instant },
  text: [
    counted('ready', 'null', byIndex("state = 'ready'", 'lane_id, position, run_id')),
    counted('leased', 'null', byIndex("lease_id is not null and state = 'leased'", 'lease_id')),
    ...['slot', 'ceiling'].map((gate) =>
      counted('gated', `'${gate}'`, byIndex(`state = 'gated' and gate = '${gate}'`, 'slot, position, run_id')),
    ),
    counted(
      'parked',
      'null',
      `select from (
        select state from run_work where state in ('parked', 'gated') order by lane_id, run_id limit ${2 * countedRuns}
      ) idle where state = 'parked'`,
      dueOf('parked'),
    ),
    counted('stranded', 'null', byIndex("state = 'stranded'", 'lane_id'), dueOf('stranded')),
    counted('paused', 'null', byIndex("state = 'paused'", 'run_id')),
  ].join('\n    union all'),
});
