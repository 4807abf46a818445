import type pg from 'pg';
import { type Column, type Done, type OwnQuery, type Part, PreparedRun, type Result } from './preparedRun.ts';

/**
 * Lets a client execute prepared statements with half of the driver's work. The columns of the
 * first result hold for all later ones, so they are not requested again. A run of single steps
 * waits for each query.
 *
 * Owns: named queries with values, from the second time on; unnamed ones whose columns get
 * camelCase names; trips of several queries. The driver does everything else, and each first time.
 */
export function shortenPrepared(client: pg.ClientBase, types: pg.CustomTypesConfig): void {
  const ordinary = client.query;
  const known = new Map<string, Column[]>();

  /** Undefined: the driver has to prepare it first. */
  const partOf = ({ name = '', text, values, camelCase }: OwnQuery): Part | undefined => {
    if (name === '') return { text, values, columnsOf: (fields) => columnsOf(fields, types, camelCase) };
    const columns = known.get(name);
    return columns && { statement: name, values, columns };
  };

  const send = (query: OwnQuery, done: Done): void => {
    const { name = '' } = query;
    const part = partOf(query);
    if (part) {
      Reflect.apply(ordinary, client, [new PreparedRun([part], ([rows = []]) => rows), undefined, done]);
      return;
    }
    const learn: Done = (error, result) => {
      if (!result) return done(error, result);
      const columns = columnsOf(result.fields, types, query.camelCase);
      known.set(name, columns);
      done(
        error,
        query.camelCase ? { ...result, rows: result.rows.map((row) => renamed(row, result.fields, columns)) } : result,
      );
    };
    Reflect.apply(ordinary, client, [query, undefined, learn]);
  };

  const promised = (begin: (done: Done) => void): Promise<Result> =>
    new Promise((resolve, reject) => {
      begin((error, result) => (result ? resolve(result) : reject(error)));
    });
  const plain = (text: string): Promise<Result> =>
    promised((done) => void Reflect.apply(ordinary, client, [text, undefined, done]));

  /** The first time, the driver has to prepare the statements one after the other. */
  const sendOneByOne = async ({ parts }: Trip): Promise<Result> => {
    await plain('begin');
    try {
      const answers: unknown[][] = [];
      for (const part of parts) answers.push((await promised((done) => send(part, done))).rows);
      await plain('commit');
      return answered(answers);
    } catch (error) {
      await plain('rollback').catch(() => undefined);
      throw error;
    }
  };

  const sendTrip = (trip: Trip, done: Done): void => {
    const parts = trip.parts.flatMap((part) => partOf(part) ?? []);
    if (parts.length < trip.parts.length) {
      sendOneByOne(trip).then((result) => done(null, result), done);
      return;
    }
    const run = new PreparedRun(parts, (answers) => answered(answers).rows);
    Reflect.apply(ordinary, client, [run, undefined, done]);
  };

  const query = (...args: unknown[]): unknown => {
    const [config, values, callback] = args;
    if (values !== undefined || !(isOwn(config) || isTrip(config))) return Reflect.apply(ordinary, client, args);
    const begin = (done: Done): void => ('parts' in config ? sendTrip(config, done) : send(config, done));
    return isDone(callback) ? begin(callback) : promised(begin);
  };
  Object.defineProperty(client, 'query', { value: query, writable: true, configurable: true });
}

/** Several queries in one round trip and one transaction (`oneTrip`). */
interface Trip {
  parts: readonly OwnQuery[];
}

const isTrip = (config: unknown): config is Trip => typeof config === 'object' && config !== null && 'parts' in config;

const answered = (answers: unknown[][]): Result => ({ rows: [{ answers }], rowCount: 1, fields: [] });

/** Whether a query is the engine's. Prisma's queries ask for their own parsers. */
function isOwn(config: unknown): config is OwnQuery {
  if (typeof config !== 'object' || config === null || 'types' in config || 'rowMode' in config) return false;
  if (!('values' in config) || !Array.isArray(config.values)) return false;
  return 'camelCase' in config || ('name' in config && typeof config.name === 'string');
}

const isDone = (callback: unknown): callback is Done => typeof callback === 'function';

const columnsOf = (fields: Result['fields'], types: pg.CustomTypesConfig, camelCase = false): Column[] =>
  fields.map(({ name, dataTypeID }) => ({
    name: camelCase ? toCamelCase(name) : name,
    parse: types.getTypeParser(dataTypeID, 'text'),
  }));

const toCamelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** A row of the driver with camelCase names. Assignments take half as long as `fromEntries`. */
function renamed(row: unknown, fields: Result['fields'], columns: readonly Column[]): unknown {
  const made: Record<string, unknown> = {};
  columns.forEach(({ name }, at) => {
    made[name] = Object(row)[fields[at]?.name ?? name];
  });
  return made;
}
