import type pg from 'pg';
import { type Queryable, statement } from '../../db/index.ts';

/** The invariants that SQL can see, by the numbers under which the project's documentation explains them. */
export const invariants = {
  I1: 'an acknowledged event is in the log once, and every run that it is said to have started exists',
  I2: 'an event starts a workflow at most once',
  I3: 'every run has ended, or is queued, executed or parked for a reason',
  I4: 'a step that completed never runs again',
  I5: 'attempts of a step are counted one by one',
  I7: 'a run moves only along allowed transitions, and ends once',
  I8: 'timers fire once, not before their time and not long after it',
  I9: 'an event wakes every wait that it matches, and counts it',
  I10: 'what is buffered starts exactly one run, not long after its time, in batches that are not too large',
  I11: 'no more runs execute at once than their limits allow',
  I12: 'spend on AI stays within what its limits allow',
  I13: 'an approval is decided once, and a decided approval is one with a decision in its run',
  I16: 'the journal of a run has no hole, and ends with its final status',
  I17: 'each due instant of a schedule starts one run at most, and none stays due for long',
  I18: 'counters equal a recount',
  I19: 'no connection holds a transaction open without using it',
} as const;

export type InvariantId = keyof typeof invariants;

/** What an examination is told. */
export interface Examination {
  /** The lowest id of runs and events that are looked at: ids sort by their time. What is unfinished is always looked at. */
  floorId: string;
  now: Date | null;
  /** Findings per check, at most. */
  limit: number;
  dedupeWindowMs: number;
  budgetCheckMs: number;
}

/** Something that must not be. */
export interface Violation {
  /** What it is about: the id of a run, an event, a connection. */
  subject: string;
  projectId: string | undefined;
  /** One sentence for people. */
  message: string;
}

/** One question to the database whose answer must be empty. */
export interface Check {
  invariant: InvariantId;
  /** Unique among all checks. */
  name: string;
  find(db: Queryable, examination: Examination): Promise<Violation[]>;
}

interface FoundRow extends pg.QueryResultRow {
  subject: string;
  project_id: string | null;
}

export interface CheckDefinition<Row extends FoundRow> {
  invariant: InvariantId;
  name: string;
  /**
   * Returns what breaks the invariant, at most `$1` rows, each with `subject` and `project_id`. Reads only; rides indexes
   * from what is unfinished, or from the ids of the window.
   */
  text: string;
  /** Parameters from `$2` on. */
  values?: (examination: Examination) => unknown[];
  describe: (row: Row) => string;
}

/** Makes a check of its statement and its sentence. */
export function defineCheck<Row extends FoundRow>(definition: CheckDefinition<Row>): Check {
  const { invariant, name, text, values = () => [], describe } = definition;
  const find = statement<Examination, Row>({
    name: `doctor.${name}`,
    writes: false,
    text,
    values: (examination) => [examination.limit, ...values(examination)],
  });
  return {
    invariant,
    name,
    find: async (db, examination) => {
      const rows = await find(db, examination);
      return rows.map((row) => ({
        subject: row.subject,
        projectId: row.project_id ?? undefined,
        message: describe(row),
      }));
    },
  };
}

export type { FoundRow };

/**
 * SQL: the text of a JSON column's first field, if it has that name and holds a plain string without quotes; else null. Read
 * off the text: `->>` would fail on the U+0000 that a later field may hold, and takes many times as long.
 */
export function leadingField(column: string, name: string): string {
  const start = `left(${column}::text, 80)`;
  return `case when split_part(${start}, '"', 2) = '${name}' then split_part(${start}, '"', 4) end`;
}

/** SQL: the status that a `run_status` frame tells of. */
export const statusOfFrame = leadingField('payload', 'status');

/** After so long a look at the budgets is overdue, in ms: some were missed, or the last takes long over a large backlog. */
export const budgetPatienceMs = ({ budgetCheckMs }: Examination): number => 60_000 + 3 * budgetCheckMs;

/** SQL: whether a process that looks after budgets has been up for that long. `now`, `patience`: the statement's parameters. */
export const isLookedAfter = (now: string, patience: string): string => `exists (
  select from dispatcher
  where heartbeat_at > coalesce(${now}::timestamptz, now()) - interval '6 seconds'
    and started_at < coalesce(${now}::timestamptz, now()) - ${patience}::float8 * interval '1 ms')`;

/** SQL: whether a sum of tokens and costs reaches a limit of a policy. */
export const isReached = (sum: string, policy: string): string =>
  `coalesce(${sum}.tokens >= (${policy} ->> 'maxTokens')::numeric, false)
    or coalesce(${sum}.cost >= (${policy} ->> 'maxCost')::numeric, false)`;
