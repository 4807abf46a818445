import type pg from 'pg';
import { bigint, float8, type Given, instant, type Params, type Queryable, statement, uuid } from '../../db/index.ts';

/** The invariants that SQL can check, numbered as in the documentation. */
export const invariants = {
  I1: 'an acknowledged event is recorded once, and the runs that it names exist',
  I2: 'an event starts a workflow once',
  I3: 'a run has ended, or is queued, executing or parked for a reason',
  I4: 'a completed step never runs again',
  I5: 'attempts are numbered without gaps',
  I7: 'runs follow the allowed transitions and end once, and endpoints are told once',
  I8: 'timers fire once, on time',
  I9: 'an event wakes every matching wait, and counts it',
  I10: 'a buffer starts one run, on time, within its size',
  I11: 'executing runs stay within their limits',
  I12: 'AI spending stays within its limits',
  I13: 'a run has the decision of each decided approval',
  I14: 'a delivery is attempted until it is settled, and its attempts are logged',
  I15: 'an inbound message is recorded once, with its event',
  I16: 'a journal has no gap and ends with the final status',
  I17: 'an instant of a schedule starts at most one run, on time',
  I18: 'counters equal a recount',
  I19: 'no connection idles inside a transaction',
  I20: 'a model call exists while its step waits, and each send has an outcome or a living owner',
} as const;

export type InvariantId = keyof typeof invariants;

/** The parameters that any check may use. */
const examination = {
  /**
   * The lowest id of runs, events and deliveries in the window: ids sort by time. Unfinished runs
   * are always checked.
   */
  floorId: uuid,
  now: instant,
  /** The maximum number of findings per check. */
  limit: bigint,
  dedupeWindowMs: float8,
  budgetCheckMs: float8,
};

export interface Examination extends Given<typeof examination> {
  /** The time between the two looks of a check that looks twice, in ms. */
  secondLookMs: number;
}

/** A violated invariant. */
export interface Violation {
  /** The id of the affected run, event or connection. */
  subject: string;
  projectId: string | undefined;
  /** A sentence for people. */
  message: string;
}

/** A query that must return no row. */
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
   * Returns up to `$limit` violations, each with `subject` and `project_id`. Only reads, and starts
   * from indexes of unfinished rows, or from the ids of the window (`$floorId`).
   */
  text: string;
  /** Further parameters. */
  params?: Params;
  describe: (row: Row) => string;
}

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
 * SQL: the first field of a JSON column as text, if it has that name and is a plain string; else
 * null. Reads the text, because `->>` fails on a U+0000 in a later field, and is many times slower.
 */
export function leadingField(column: string, name: string): string {
  const start = `left(${column}::text, 80)`;
  return `case when split_part(${start}, '"', 2) = '${name}' then split_part(${start}, '"', 4) end`;
}

/** SQL: the status in a `run_status` frame. */
export const statusOfFrame = leadingField('payload', 'status');
