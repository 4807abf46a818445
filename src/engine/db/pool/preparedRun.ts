import pg from 'pg';

/** A query of the engine. */
export interface OwnQuery {
  /** Absent if the text varies: then the query is not prepared. */
  name?: string;
  text: string;
  values: readonly unknown[];
  camelCase?: boolean;
}

export interface Column {
  name: string;
  parse: (text: string) => unknown;
}

export interface Result {
  rows: unknown[];
  rowCount: number | null;
  fields: readonly { name: string; dataTypeID: number }[];
}

export type Done = (error: Error | null | undefined, result?: Result) => void;

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
  parse(config: { name: string; text: string }): void;
  bind(config: { statement: string; values: readonly unknown[] }): void;
  describe(config: { type: 'P'; name: string }): void;
  execute(config: { portal: string }): void;
  sync(): void;
}

/** A prepared statement with its values, and the columns of its rows. */
interface PreparedPart {
  statement: string;
  values: readonly unknown[];
  columns: readonly Column[];
}

/** A statement that is not prepared, with its values. The columns arrive before the rows. */
interface UnnamedPart {
  text: string;
  values: readonly unknown[];
  columnsOf(fields: Result['fields']): readonly Column[];
}

export type Part = PreparedPart | UnnamedPart;

/**
 * An execution of statements, up to one `sync`: they are one transaction. The driver calls its
 * `handle…` methods.
 */
export class PreparedRun {
  readonly text = '';
  /** Set by the driver. */
  callback: Done | undefined;
  readonly #parts: readonly Part[];
  /** The columns of each part, once they are known. */
  readonly #columns: (readonly Column[])[];
  readonly #resultOf: (answers: unknown[][]) => unknown[];
  readonly #answers: unknown[][];
  /** The part whose rows arrive. */
  #at = 0;
  #failure: Error | undefined;

  constructor(parts: readonly Part[], resultOf: (answers: unknown[][]) => unknown[]) {
    this.#parts = parts;
    this.#resultOf = resultOf;
    this.#answers = parts.map(() => []);
    this.#columns = parts.map((part) => ('columns' in part ? part.columns : []));
  }

  submit(connection: Wire): void {
    connection.stream.cork();
    for (const part of this.#encoded()) {
      const { values } = part;
      if ('text' in part) {
        connection.parse({ name: '', text: part.text });
        connection.bind({ statement: '', values });
        connection.describe({ type: 'P', name: '' });
      } else connection.bind({ statement: part.statement, values });
      connection.execute({ portal: '' });
    }
    connection.sync();
    connection.stream.uncork();
  }

  /** All or nothing: a transaction that lacks its last part must not be executed. */
  #encoded(): Part[] {
    try {
      return this.#parts.map((part) => ({ ...part, values: part.values.map(toWire) }));
    } catch (cause) {
      this.handleError(cause instanceof Error ? cause : new Error(String(cause)));
      return [];
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      const row: Record<string, unknown> = {};
      let at = 0;
      for (const { name, parse } of this.#columns[this.#at] ?? []) {
        const text = fields[at++] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#answers[this.#at]?.push(row);
    } catch (cause) {
      // Must not throw here, inside the socket's handler.
      this.#failure ??= cause instanceof Error ? cause : new Error(String(cause));
    }
  }

  handleRowDescription({ fields }: Pick<Result, 'fields'>): void {
    const part = this.#parts[this.#at];
    if (part && 'columnsOf' in part) this.#columns[this.#at] = part.columnsOf(fields);
  }

  handleCommandComplete(): void {
    this.#at += 1;
  }

  handleReadyForQuery(): void {
    const rows = this.#resultOf(this.#answers);
    if (this.#failure) this.#end(this.#failure);
    else this.#end(null, { rows, rowCount: rows.length, fields: [] });
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  // The driver calls these too. A statement that is executed at once does not need them.
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  #end(error: Error | null, result?: Result): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.(error, result);
  }
}
