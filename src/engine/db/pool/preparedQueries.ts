import pg from 'pg';

/**
 * Lets a client execute statements that it has prepared with half of the driver's work: the columns
 * of their results are those of the first time, so that they are neither asked for nor read again.
 * A lone step of a run waits for each query.
 *
 * Owns: queries with a name and values, from the second time on; the names of columns in rows,
 * which are in camel case where the query asks for it. Everything else, and each first time, is the
 * driver's own.
 */
export function shortenPrepared(client: pg.ClientBase, types: pg.CustomTypesConfig): void {
  const ordinary = client.query;
  const known = new Map<string, Column[]>();

  const send = (query: OwnQuery, done: Done): void => {
    const { name = '' } = query;
    const columns = known.get(name);
    if (columns) {
      Reflect.apply(ordinary, client, [new PreparedRun(name, query, columns), undefined, done]);
      return;
    }
    const learn: Done = (error, result) => {
      if (!result) return done(error, result);
      const columns = columnsOf(result.fields, types, query.camelCase);
      if (name !== '') known.set(name, columns);
      done(
        error,
        query.camelCase ? { ...result, rows: result.rows.map((row) => renamed(row, result.fields, columns)) } : result,
      );
    };
    Reflect.apply(ordinary, client, [query, undefined, learn]);
  };

  const query = (...args: unknown[]): unknown => {
    const [config, values, callback] = args;
    if (!isOwn(config) || values !== undefined) return Reflect.apply(ordinary, client, args);
    if (isDone(callback)) return send(config, callback);
    return new Promise((resolve, reject) => {
      send(config, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
  Object.defineProperty(client, 'query', { value: query, writable: true, configurable: true });
}

interface OwnQuery {
  /** Absent where the text varies: then it is not prepared. */
  name?: string;
  text: string;
  values: readonly unknown[];
  camelCase?: boolean;
}

interface Column {
  name: string;
  parse: (text: string) => unknown;
}

interface Result {
  rows: unknown[];
  rowCount: number | null;
  fields: readonly { name: string; dataTypeID: number }[];
}

type Done = (error: Error | null | undefined, result?: Result) => void;

/** Tells the engine's statements from Prisma's, which ask for parsers of their own. */
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

/** A row of the driver's with the names of our columns. */
const renamed = (row: unknown, fields: Result['fields'], columns: readonly Column[]): unknown =>
  Object.fromEntries(columns.map(({ name }, at) => [name, Object(row)[fields[at]?.name ?? name]]));

/** A parameter as the driver writes it. The types of the driver leave its function out. */
const driverToWire: unknown = Reflect.get(Reflect.get(pg, 'utils'), 'prepareValue');

function toWire(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return value;
  if (typeof driverToWire !== 'function') throw new TypeError('the driver says no more how it writes parameters');
  return driverToWire(value);
}

/** The little of the driver's connection that an execution needs. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  bind(config: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(config: { portal: string }): void;
  sync(): void;
}

/** One execution, as the driver hands it what the server says. */
class PreparedRun implements OwnQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Set by the driver. */
  callback: Done | undefined;
  readonly #columns: readonly Column[];
  readonly #rows: unknown[] = [];
  #failure: Error | undefined;

  constructor(name: string, { text, values }: OwnQuery, columns: readonly Column[]) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.#columns = columns;
  }

  submit(connection: Wire): void {
    connection.stream.cork();
    try {
      connection.bind({ statement: this.name, values: this.values, valueMapper: toWire });
      connection.execute({ portal: '' });
    } catch (cause) {
      this.handleError(cause instanceof Error ? cause : new Error(String(cause)));
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      const row: Record<string, unknown> = {};
      let at = 0;
      for (const { name, parse } of this.#columns) {
        const text = fields[at++] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (cause) {
      // It must not end the process from within the socket.
      this.#failure ??= cause instanceof Error ? cause : new Error(String(cause));
    }
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.#end(this.#failure);
    else this.#end(null, { rows: this.#rows, rowCount: this.#rows.length, fields: [] });
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  // The driver tells these too; there is nothing in them for a statement that is executed at once.
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  #end(error: Error | null, result?: Result): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.(error, result);
  }
}
