import type DataLoader from 'dataloader';
import { anySize, bytesOf, type Sized } from '../../engine/paging/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { loadEach } from './batch.ts';

/** Columns of payloads that a document asks for. */
export type Wanted<Column extends string> = Readonly<Record<Column, boolean>>;

/** Rows with payloads. An owner has one row or several, which are read together. */
export interface PayloadSource<Owner, Column extends string, Row extends Sized, Value> {
  columns: readonly Column[];
  nameOf(owner: Owner): string;
  rowNamesOf(owner: Owner): readonly string[];
  nameOfRow(row: Row): string;
  /** Reads the sizes of the wanted columns, and at most `maxBytes` of their texts. */
  fetch(owners: readonly Owner[], wanted: Wanted<Column>, maxBytes: number): Promise<Row[]>;
  /** The value of a column for each owner, by its name. */
  valuesOf(rows: readonly Row[], column: Column, owners: readonly Owner[]): Map<string, Value>;
  /** The value of a column, if each owner has one row, which has its name. */
  valueInRow?(row: Row, column: Column): Value;
}

interface ColumnKey<Owner, Column> {
  of: Owner;
  column: Column;
}

/** A row that `look` has read. */
interface Seen<Row, Column extends string> {
  row: Row;
  wanted: Wanted<Column>;
  /** Whether the meter knows of its bytes. */
  isCounted: boolean;
}

/**
 * Loads columns of payloads: in one statement per tick if they are small. If they are large, one
 * statement reads their sizes. The second reads the texts, once the answer has memory for them.
 */
export class PayloadLoader<Owner, Column extends string, Row extends Sized, Value> {
  readonly #meter: AnswerMeter;
  readonly #source: PayloadSource<Owner, Column, Row, Value>;
  readonly #loader: DataLoader<ColumnKey<Owner, Column>, Value | undefined, string>;
  readonly #seen = new Map<string, Seen<Row, Column>>();

  constructor(meter: AnswerMeter, source: PayloadSource<Owner, Column, Row, Value>) {
    this.#meter = meter;
    this.#source = source;
    const keyOf = ({ of, column }: ColumnKey<Owner, Column>): string => `${column} ${source.nameOf(of)}`;
    this.#loader = loadEach((keys) => this.#readAll(keys, keyOf), keyOf, maxPayloads);
  }

  load(of: Owner, column: Column): Promise<Value | undefined> {
    return this.#loader.load({ of, column });
  }

  /**
   * The value itself if `look` has read it, otherwise its promise. A large page spends more on
   * promises than on the reads.
   */
  get(of: Owner, column: Column): Value | undefined | Promise<Value | undefined> {
    const { nameOf, valueInRow } = this.#source;
    const seen = valueInRow && this.#seen.get(nameOf(of));
    if (!seen?.row.isRead || !seen.wanted[column]) return this.load(of, column);
    if (!seen.isCounted) this.#meter.load(seen.row.bytes);
    seen.isCounted = true;
    return valueInRow?.(seen.row, column);
  }

  /** Remembers a value that is known. */
  prime(of: Owner, column: Column, value: Value): void {
    this.#loader.prime({ of, column }, value);
  }

  /** The columns among these names. */
  wantedOf(names: ReadonlySet<string>): Wanted<Column> {
    return Object.fromEntries(this.#source.columns.map((column) => [column, names.has(column)])) as Wanted<Column>;
  }

  /**
   * Reads the sizes of payloads, and the texts of small ones: `load` does not read them again.
   * Answers the bytes of rows by their names.
   */
  async look(owners: readonly Owner[], wanted: Wanted<Column>): Promise<Map<string, number>> {
    const { fetch, nameOfRow } = this.#source;
    const rows = owners.length === 0 ? [] : await fetch(owners, wanted, smallBytes);
    for (const row of rows) this.#seen.set(nameOfRow(row), { row, wanted, isCounted: false });
    return new Map(rows.map((row) => [nameOfRow(row), row.bytes]));
  }

  async #readAll(
    keys: readonly ColumnKey<Owner, Column>[],
    keyOf: (key: ColumnKey<Owner, Column>) => string,
  ): Promise<Map<string, Value>> {
    const { nameOf, valuesOf, fetch } = this.#source;
    const owners = [...new Map(keys.map(({ of }) => [nameOf(of), of])).values()];
    const columns = new Set(keys.map(({ column }) => column));
    const wanted = this.wantedOf(columns);
    const read = async (maxBytes: number, first: readonly Row[] = []): Promise<Row[]> => {
      const { kept, rest } = this.#sift(owners, first);
      return [...kept, ...(await fetch(rest, wanted, maxBytes))];
    };
    const rows = await readPayloads(this.#meter, read, this.#takeSeen(owners, wanted));
    const byColumn = new Map([...columns].map((column) => [column, valuesOf(rows, column, owners)]));
    const values = new Map<string, Value>();
    for (const key of keys) {
      const value = byColumn.get(key.column)?.get(nameOf(key.of));
      if (value !== undefined) values.set(keyOf(key), value);
    }
    return values;
  }

  /** The rows of owners that were read whole, and the other owners. */
  #sift(owners: readonly Owner[], rows: readonly Row[]): { kept: Row[]; rest: Owner[] } {
    const { nameOfRow, rowNamesOf } = this.#source;
    const read = new Map(rows.filter(({ isRead }) => isRead).map((row) => [nameOfRow(row), row]));
    const kept: Row[] = [];
    const rest: Owner[] = [];
    for (const owner of owners) {
      const names = rowNamesOf(owner);
      if (names.every((name) => read.has(name))) kept.push(...names.flatMap((name) => read.get(name) ?? []));
      else rest.push(owner);
    }
    return { kept, rest };
  }

  /** Takes the rows that `look` has read, if they are all there, with these columns. */
  #takeSeen(owners: readonly Owner[], wanted: Wanted<Column>): Row[] | undefined {
    const { columns, rowNamesOf } = this.#source;
    const rows: Row[] = [];
    const names = owners.flatMap(rowNamesOf);
    for (const name of names) {
      const seen = this.#seen.get(name);
      if (!seen || columns.some((column) => wanted[column] && !seen.wanted[column])) return undefined;
      rows.push(seen.row);
    }
    for (const name of names) this.#seen.delete(name);
    return rows;
  }
}

/** Payloads of one statement: the columns of a large page. */
const maxPayloads = 1000;

/** Bytes that are read without a reservation: nearly all payloads are smaller. */
const smallBytes = 64 * 1024;

/**
 * Reads rows with payloads: by one statement if they are small, otherwise by a second one once the
 * answer has memory for them. `fetch` reads at most so many bytes; the second time, it may keep
 * rows of the first statement. `seen` are the rows of a first statement that was made before.
 */
export async function readPayloads<Row extends Sized>(
  meter: AnswerMeter,
  fetch: (maxBytes: number, first?: readonly Row[]) => Promise<Row[]>,
  seen?: Row[],
): Promise<Row[]> {
  const rows = seen ?? (await fetch(smallBytes));
  const bytes = bytesOf(rows);
  meter.load(bytes);
  if (rows.every(({ isRead }) => isRead)) return rows;
  await meter.makeRoom(bytes);
  return fetch(anySize, rows);
}

/** Reads payloads of at most so many bytes, once the answer has memory for them. */
export async function readLarge<Row>(meter: AnswerMeter, bytes: number, read: () => Promise<Row[]>): Promise<Row[]> {
  meter.load(bytes);
  if (bytes > smallBytes) await meter.makeRoom(bytes);
  return read();
}

/** A source whose owners are ids, with one row each. */
export const byIds = <Column extends string, Row extends Sized & { id: string } & Record<Column, string | null>>(
  columns: readonly Column[],
  fetch: PayloadSource<string, Column, Row, string | null>['fetch'],
): PayloadSource<string, Column, Row, string | null> => ({
  columns,
  nameOf: (id) => id,
  rowNamesOf: (id) => [id],
  nameOfRow: ({ id }) => id,
  fetch,
  valuesOf: (rows, column) => new Map(rows.map((row) => [row.id, row[column]])),
  valueInRow: (row, column) => row[column],
});
