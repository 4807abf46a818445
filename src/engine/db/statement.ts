import type pg from 'pg';
import { type Compiled, compile } from './compile.ts';
import { failPoint } from './failPoints.ts';
import type { Given, Params } from './params.ts';

/** A pool or a client inside a transaction. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>;

/**
 * An SQL statement as a function, for a pool or a transaction's client. Rows have camelCase names.
 */
export interface Statement<Given, Row> {
  (db: Queryable, params: Given): Promise<Row[]>;
  /** The statement as a part of a trip (`oneTrip`). */
  part(params: Given): TripPart<Row>;
}

/** A statement with its values, which is sent together with others. */
export interface TripPart<Row> {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly camelCase: true;
  readonly writes: boolean;
  /** Never set: keeps `Row` for the compiler. */
  readonly row?: Row;
}

export interface StatementDefinition<Spec extends Params> {
  params?: Spec;
  /** SQL with named parameters (see `compile`). */
  text: string;
}

/** A named statement whose text follows. */
export interface NamedStatement<Row> {
  /** A statement that writes nothing. */
  reads<Spec extends Params>(definition: StatementDefinition<Spec>): Statement<Given<Spec>, Row>;
  /** A statement that writes, with fail-points before and after. */
  writes<Spec extends Params>(definition: StatementDefinition<Spec>): Statement<Given<Spec>, Row>;
}

interface Defined {
  text: string;
  names: readonly string[];
  writes: boolean;
}

const defined = new Map<string, Defined>();

/**
 * Defines a prepared statement: `statement<Row>('claimWork').writes({ params, text })`. Each
 * statement has a file of its own in `<domain>/sql/`, and SQL is allowed nowhere else. Names are
 * unique: fail-points and PostgreSQL identify the statement by its name.
 */
export const statement = <Row extends pg.QueryResultRow>(name: string): NamedStatement<Row> => ({
  reads: (definition) => define(name, definition, false),
  writes: (definition) => define(name, definition, true),
});

function define<Spec extends Params, Row extends pg.QueryResultRow>(
  name: string,
  definition: StatementDefinition<Spec>,
  writes: boolean,
): Statement<Given<Spec>, Row> {
  if (defined.has(name)) throw new Error(`two statements are named ${name}`);
  const { text, values, names } = compileNamed(name, definition);
  defined.set(name, { text, writes, names });
  const part = (given: Given<Spec>): TripPart<Row> => ({ name, text, values: values(given), camelCase: true, writes });
  const run = async (db: Queryable, given: Given<Spec>): Promise<Row[]> => {
    const query = { name, text, values: values(given), camelCase: true };
    return (await db.query<Row>(query)).rows;
  };
  return Object.assign(writes ? atFailPoints(name, run) : run, { part });
}

function compileNamed<Spec extends Params>(name: string, { text, params }: StatementDefinition<Spec>): Compiled {
  try {
    return compile(text, params ?? {});
  } catch (cause) {
    throw new Error(`the statement ${name} cannot be compiled`, { cause });
  }
}

/** A read whose text varies, such as a list with filters. */
export interface ReadQuery {
  /** Names a text that is read often: it is prepared, with one plan for any values. */
  name?: string | undefined;
  text: string;
  values: unknown[];
}

/** Executes an unnamed read. Rows have camelCase names. */
export async function readRows<Row extends pg.QueryResultRow>(db: Queryable, query: ReadQuery): Promise<Row[]> {
  const unnamed = { ...query, camelCase: true };
  return (await db.query<Row>(unnamed)).rows;
}

/** Executes a read after settings of its transaction, in the same round trip. */
export async function readSet<Row extends pg.QueryResultRow>(
  db: Queryable,
  settings: TripPart<object>,
  query: ReadQuery,
): Promise<Row[]> {
  const trip = { text: '', parts: [settings, { ...query, camelCase: true }] };
  const [answered] = (await db.query<{ answers: [object[], Row[]] }>(trip)).rows;
  return answered?.answers[1] ?? [];
}

type Run<Given, Row> = (db: Queryable, params: Given) => Promise<Row[]>;

const atFailPoints =
  <Given, Row>(name: string, run: Run<Given, Row>): Run<Given, Row> =>
  async (db, given) => {
    const before = failPoint(`${name}:before`);
    if (before) await before;
    const rows = await run(db, given);
    const after = failPoint(`${name}:after`);
    if (after) await after;
    return rows;
  };

/** The names of all writing statements. Crash tests walk this list, so they miss no write. */
export const writingStatements = (): string[] => [...defined].filter(([, { writes }]) => writes).map(([name]) => name);

/** The parameter names of a statement, in the order of its values: `runId`, `rows.laneId`. */
export const parameterNames = (name: string): readonly string[] => defined.get(name)?.names ?? [];

/** The text of every statement, by name. */
export const statementTexts = (): ReadonlyMap<string, string> =>
  new Map([...defined].map(([name, { text }]) => [name, text]));
