import type pg from 'pg';
import { failPoint } from './failPoints.ts';

/** A pool or a client inside a transaction. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>;

export interface StatementDefinition<Params> {
  /** The name of the prepared statement, of its fail-points and of its metrics. Unique. */
  name: string;
  /** Whether it changes anything: then the process may be made to die before and after it. */
  writes: boolean;
  text: string;
  values: (params: Params) => unknown[];
}

/** One SQL statement as a function: it takes a pool or a transaction's client, and joins either. */
export type Statement<Params, Row> = (db: Queryable, params: Params) => Promise<Row[]>;

const definitions = new Map<string, StatementDefinition<never>>();

/** Defines a prepared statement. One file each, in `<domain>/sql/`; raw SQL stands nowhere else. */
export function statement<Params, Row extends pg.QueryResultRow>(
  definition: StatementDefinition<Params>,
): Statement<Params, Row> {
  const { name, text, values, writes } = definition;
  if (definitions.has(name)) throw new Error(`two statements are named ${name}`);
  definitions.set(name, definition);
  const read: Statement<Params, Row> = async (db, params) =>
    (await db.query<Row>({ name, text, values: values(params) })).rows;
  if (!writes) return read;
  return async (db, params) => {
    const before = failPoint(`${name}:before`);
    if (before) await before;
    const rows = await read(db, params);
    const after = failPoint(`${name}:after`);
    if (after) await after;
    return rows;
  };
}

/** The names of all statements that write: crash tests walk this list, so that no write is forgotten. */
export const writingStatements = (): string[] =>
  [...definitions.values()].filter((each) => each.writes).map((each) => each.name);

/** The text of every statement, by name. */
export const statementTexts = (): ReadonlyMap<string, string> =>
  new Map([...definitions].map(([name, { text }]) => [name, text]));
