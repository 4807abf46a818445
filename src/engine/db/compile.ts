import type { AnyParam, AnyRowset, Params } from './params.ts';

/**
 * A statement as PostgreSQL takes it: numbered parameters, and a function that makes their values.
 */
export interface Compiled {
  text: string;
  /** The names of the values, in order: `runId`, `rows.laneId`. */
  names: readonly string[];
  values: (given: unknown) => unknown[];
}

/** Reads the value of one parameter. `sets` holds the items of each row set. */
type Source = (given: unknown, sets: readonly (readonly unknown[])[]) => unknown;

const reference = /\$(\w+)(?:\.(\w+)|( as (\w+)))?/g;

/**
 * Replaces the parameter names in a text by numbers with types:
 *
 * - `$runId` is a value; `$rows.laneId` is a column of a row set, as an array;
 * - `$rows as r` is a row set as a table, with column names in snake case;
 * - `$now` is the start of the transaction, and `$clock` the present instant. A test's clock
 *   replaces both.
 *
 * Throws on a name without a parameter, and on a parameter that the text does not use.
 */
export function compile(text: string, params: Params): Compiled {
  const compiler = new Compiler(params);
  const numbered = text.replace(reference, (_, name: string, column?: string, as = '', alias?: string) => {
    if (name === 'now') return `coalesce(${compiler.value('now')}, now())${as}`;
    if (name === 'clock') return `coalesce(${compiler.value('now')}, clock_timestamp())${as}`;
    if (column !== undefined) return compiler.column(name, column);
    if (alias !== undefined && compiler.isRowset(name)) return compiler.table(name, alias);
    return `${compiler.value(name)}${as}`;
  });
  return { text: numbered, values: compiler.finish(), names: compiler.names };
}

class Compiler {
  readonly #params: Params;
  readonly #named = new Set<string>();
  readonly #sources: Source[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sets: ((given: unknown) => readonly unknown[])[] = [];
  readonly #setIndexes = new Map<string, number>();

  constructor(params: Params) {
    this.#params = params;
  }

  get names(): string[] {
    return [...this.#numbers.keys()];
  }

  isRowset(name: string): boolean {
    return 'columns' in this.#find(name);
  }

  value(name: string): string {
    const param = this.#find(name);
    if ('columns' in param) throw new Error(`$${name} is a row set: say "$${name} as alias", or "$${name}.column"`);
    return `$${this.#number(name, () => readValue(name, param))}::${param.type}`;
  }

  column(name: string, column: string): string {
    const rows = this.#rowset(name);
    const param = rows.columns[column];
    if (!param) throw new Error(`the row set $${name} has no column ${column}`);
    const at = this.#setIndex(name, rows);
    const read = readColumn(column, param);
    const number = this.#number(`${name}.${column}`, () => (_, sets) => (sets[at] ?? []).map(read));
    return `$${number}::${param.type}[]`;
  }

  table(name: string, alias: string): string {
    const columns = Object.entries(this.#rowset(name).columns);
    const given = columns.filter(([, { type }]) => type !== 'ordinality').map(([column]) => column);
    const counted = columns.filter(([, { type }]) => type === 'ordinality').map(([column]) => column);
    const arrays = given.map((column) => this.column(name, column)).join(', ');
    const names = [...given, ...counted].map(toSnakeCase).join(', ');
    return `unnest(${arrays})${counted.length > 0 ? ' with ordinality' : ''} as ${alias}(${names})`;
  }

  finish(): Compiled['values'] {
    const idle = Object.keys(this.#params).filter((name) => !this.#named.has(name));
    if (idle.length > 0) throw new Error(`the text does not use $${idle.join(', $')}`);
    const sources = this.#sources;
    const sets = this.#sets;
    return (given) => {
      const items = sets.map((itemsOf) => itemsOf(given));
      return sources.map((read) => read(given, items));
    };
  }

  #find(name: string): AnyParam | AnyRowset {
    const param = this.#params[name];
    if (!param) throw new Error(`there is no parameter $${name}`);
    this.#named.add(name);
    return param;
  }

  #rowset(name: string): AnyRowset {
    const param = this.#find(name);
    if (!('columns' in param)) throw new Error(`$${name}is not a row set`);
    return param;
  }

  #number(key: string, source: () => Source): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sources.push(source());
    this.#numbers.set(key, number);
    return number;
  }

  #setIndex(name: string, rows: AnyRowset): number {
    const known = this.#setIndexes.get(name);
    if (known !== undefined) return known;
    const at = this.#sets.push(readItems(name, rows)) - 1;
    this.#setIndexes.set(name, at);
    return at;
  }
}

const property = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;

const readValue = (name: string, { pick }: AnyParam): Source =>
  pick ? (given) => pick(given, 0) : (given) => property(given, name);

const readColumn = (name: string, { pick }: AnyParam): ((item: unknown, index: number) => unknown) =>
  pick ?? ((item) => property(item, name));

function readItems(name: string, { items }: AnyRowset): (given: unknown) => readonly unknown[] {
  if (items) return items;
  return (given) => {
    const found = property(given, name);
    if (!Array.isArray(found)) throw new TypeError(`the rows of $${name} are missing`);
    return found;
  };
}

/** The names of columns in SQL, for an `insert` and its `select`. */
export const columnNames = (columns: AnyRowset['columns']): string => Object.keys(columns).map(toSnakeCase).join(', ');

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
