import pg from 'pg';

/**
 * Lets a client execute prepared statements with half of the driver's work. The columns of the
 * first result hold for all later ones, so they are not requested again. A run of single steps
 * waits for each query.
 *
 * Owns: named queries with values, from the second time on; camelCase names of columns, if the
 * query asks for them. The driver does everything else, and each first time.
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
  /** Absent if the text varies: then the query is not prepared. */
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

/** A row of the driver with camelCase names. */
const renamed = (row: unknown, fields: Result['fields'], columns: readonly Column[]): unknown =>
  Object.fromEntries(columns.map(({ name }, at) => [name, Object(row)[fields[at]?.name ?? name]]));

/** Encodes a parameter as the driver does. The driver's types omit its function. */
const driverToWire: unknown = Reflect.get(Reflect.get(pg, 'utils'), 'prepareValue');

function toWire(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return value;
  if (typeof driverToWire !== 'function') throw new TypeError('the driver no longer exports prepareValue');
  return driverToWire(value);
}

/** The part of the driver's connection that an execution needs. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  bind(config: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(config: { portal: string }): void;
  sync(): void;
}

/** An execution. The driver calls its `handle…` methods. */
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
      // Must not throw here, inside the socket's handler.
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

  // The driver calls these too. A statement that is executed at once does not need them.
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
