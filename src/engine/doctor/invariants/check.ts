import type pg from 'pg';
import { bigint, float8, type Given, instant, type Params, type Queryable, statement, uuid } from '../../db/index.ts';

/**
 * The invariants that SQL can see, by the numbers under which the project's documentation explains
 * them.
 */
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

/** The parameters that any check may name. */
const examination = {
  /**
   * The lowest id of runs and events in the window: ids sort by their time. Unfinished ones are
   * always looked at.
   */
  floorId: uuid,
  now: instant,
  /** Findings per check, at most. */
  limit: bigint,
  dedupeWindowMs: float8,
  budgetCheckMs: float8,
};

export type Examination = Given<typeof examination>;

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
  projectId: string | null;
}

export interface CheckDefinition<Row extends FoundRow> {
  invariant: InvariantId;
  name: string;
  /**
   * Returns what breaks the invariant, at most `$limit` rows, each with `subject` and `project_id`.
   * Reads only; rides indexes from what is unfinished, or from the ids of the window (`$floorId`).
   */
  text: string;
  /** Parameters besides those of the examination. */
  params?: Params;
  describe: (row: Row) => string;
}

/** Makes a check of its statement and its sentence. */
export function defineCheck<Row extends FoundRow>(definition: CheckDefinition<Row>): Check {
  const { invariant, name, text, params, describe } = definition;
  const named = Object.entries(examination).filter(([each]) => text.includes(`$${each}`));
  const all: Params = { ...Object.fromEntries(named), ...params };
  const find = statement<Row>(`doctor.${name}`).reads({ params: all, text });
  return {
    invariant,
    name,
    find: async (db, given) => {
      const rows = await find(db, given);
      return rows.map((row) => ({
        subject: row.subject,
        projectId: row.projectId ?? undefined,
        message: describe(row),
      }));
    },
  };
}

export type { FoundRow };

/**
 * SQL: the text of a JSON column's first field, if it has that name and holds a plain string
 * without quotes; else null. Read off the text: `->>` would fail on the U+0000 that a later field
 * may hold, and takes many times as long.
 */
export function leadingField(column: string, name: string): string {
  const start = `left(${column}::text, 80)`;
  return `case when split_part(${start}, '"', 2) = '${name}' then split_part(${start}, '"', 4) end`;
}

/** SQL: the status that a `run_status` frame tells of. */
export const statusOfFrame = leadingField('payload', 'status');
