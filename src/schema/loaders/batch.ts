import DataLoader from 'dataloader';
import { anySize, bytesOf, type Sized } from '../../engine/paging/index.ts';
import type { AnswerMeter } from './answerMeter.ts';

/** Keys of one statement at most, so that its result stays bounded. */
const maxKeys = 200;

/** Loads one value per key: the keys of one tick together, and each once per request. */
export const loadEach = <Key, Value, CacheKey = Key>(
  fetch: (keys: readonly Key[]) => Promise<Map<CacheKey, Value>>,
  cacheKeyOf: (key: Key) => CacheKey,
  maxBatchSize = maxKeys,
): DataLoader<Key, Value | undefined, CacheKey> =>
  new DataLoader<Key, Value | undefined, CacheKey>(
    async (keys) => {
      const found = await fetch(keys);
      return keys.map((key) => found.get(cacheKeyOf(key)));
    },
    { cacheKeyFn: cacheKeyOf, maxBatchSize },
  );

/** The same for ids, which are their own cache keys. */
export const loadById = <Value>(
  fetch: (ids: readonly string[]) => Promise<Map<string, Value>>,
): DataLoader<string, Value | undefined> => loadEach(fetch, (id) => id);

/** Rows by their owners, in the order of the rows. */
export function groupBy<Row>(rows: readonly Row[], ownerOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(ownerOf(row));
    if (group) group.push(row);
    else groups.set(ownerOf(row), [row]);
  }
  return groups;
}

/** The run of a list, and the length of the list at most. */
export interface RelatedKey {
  runId: string;
  limit: number;
}

export const limitKey = ({ limit }: RelatedKey): string => `${limit}`;

/** A loader of lists with arguments: one statement per distinct set, as a document has few. */
export function perArguments<Key extends RelatedKey, Row>(
  argumentsKey: (key: Key) => string,
  fetch: (runIds: readonly string[], key: Key) => Promise<Map<string, Row[]>>,
): DataLoader<Key, Row[] | undefined, string> {
  const cacheKeyOf = (key: Key): string => `${key.runId} ${argumentsKey(key)}`;
  return loadEach(async (keys) => {
    const lists = new Map<string, Row[]>();
    for (const group of groupBy(keys, argumentsKey).values()) {
      const [first] = group;
      if (!first) continue;
      const found = await fetch([...new Set(group.map((key) => key.runId))], first);
      for (const key of group) lists.set(cacheKeyOf(key), found.get(key.runId) ?? []);
    }
    return lists;
  }, cacheKeyOf);
}

/** Columns of payloads that a document asks for. */
export type Wanted<Column extends string> = Readonly<Record<Column, boolean>>;

export interface PayloadSource<Owner, Column extends string, Row extends Sized, Value> {
  columns: readonly Column[];
  nameOf(owner: Owner): string;
  /** Reads the sizes of the wanted columns, and at most `maxBytes` of their texts. */
  fetch(owners: readonly Owner[], wanted: Wanted<Column>, maxBytes: number): Promise<Row[]>;
  /** The value of a column for each owner, by its name. */
  valuesOf(rows: readonly Row[], column: Column, owners: readonly Owner[]): Map<string, Value>;
}

interface ColumnKey<Owner, Column> {
  of: Owner;
  column: Column;
}

interface SeenRows<Column extends string, Row> {
  wanted: Wanted<Column>;
  rows: readonly Row[];
}

/**
 * Loads columns of payloads: in one statement per tick if they are small. If they are large, one
 * statement reads their sizes; the second reads the texts, once the answer has memory for them.
 */
export class PayloadLoader<Owner, Column extends string, Row extends Sized, Value> {
  readonly #meter: AnswerMeter;
  readonly #source: PayloadSource<Owner, Column, Row, Value>;
  readonly #loader: DataLoader<ColumnKey<Owner, Column>, Value | undefined, string>;
  readonly #seen = new Map<string, SeenRows<Column, Row>>();

  constructor(meter: AnswerMeter, source: PayloadSource<Owner, Column, Row, Value>) {
    this.#meter = meter;
    this.#source = source;
    const keyOf = ({ of, column }: ColumnKey<Owner, Column>): string => `${column} ${source.nameOf(of)}`;
    this.#loader = loadEach((keys) => this.#readAll(keys, keyOf), keyOf, maxPayloads);
  }

  load(of: Owner, column: Column): Promise<Value | undefined> {
    return this.#loader.load({ of, column });
  }

  /** Remembers a value that is known. */
  prime(of: Owner, column: Column, value: Value): void {
    this.#loader.prime({ of, column }, value);
  }

  /** Reads the sizes of payloads, and the texts of small ones. */
  look(owners: readonly Owner[], wanted: Wanted<Column>): Promise<Row[]> {
    return this.#source.fetch(owners, wanted, smallBytes);
  }

  /** Takes over the rows that `look` answered for an owner, so that `load` need not look again. */
  handOver(owner: Owner, seen: SeenRows<Column, Row>): void {
    this.#seen.set(this.#source.nameOf(owner), seen);
  }

  async #readAll(
    keys: readonly ColumnKey<Owner, Column>[],
    keyOf: (key: ColumnKey<Owner, Column>) => string,
  ): Promise<Map<string, Value>> {
    const { nameOf, valuesOf } = this.#source;
    const columns = this.#source.columns.filter((column) => keys.some((key) => key.column === column));
    const owners = [...new Map(keys.map(({ of }) => [nameOf(of), of])).values()];
    const rows = await this.#read(owners, wantedOf(this.#source.columns, new Set(columns)));
    const byColumn = new Map(columns.map((column) => [column, valuesOf(rows, column, owners)]));
    const values = new Map<string, Value>();
    for (const key of keys) {
      const value = byColumn.get(key.column)?.get(nameOf(key.of));
      if (value !== undefined) values.set(keyOf(key), value);
    }
    return values;
  }

  #read(owners: readonly Owner[], wanted: Wanted<Column>): Promise<Row[]> {
    const fetch = (maxBytes: number): Promise<Row[]> => this.#source.fetch(owners, wanted, maxBytes);
    return readPayloads(this.#meter, fetch, this.#seenOf(owners, wanted));
  }

  /** The rows that were handed over, if they are all there, with these columns. */
  #seenOf(owners: readonly Owner[], wanted: Wanted<Column>): Row[] | undefined {
    const all: Row[] = [];
    for (const owner of owners) {
      const seen = this.#seen.get(this.#source.nameOf(owner));
      if (!seen || this.#source.columns.some((column) => wanted[column] && !seen.wanted[column])) return undefined;
      all.push(...seen.rows);
    }
    return all;
  }
}

export const wantedOf = <Column extends string>(
  columns: readonly Column[],
  asked: ReadonlySet<string>,
): Wanted<Column> =>
  Object.fromEntries(columns.map((column) => [column, asked.has(column)])) as Record<Column, boolean>;

/** Payloads of one statement: the columns of a large page. */
const maxPayloads = 1000;

/** Bytes that are read without a reservation: nearly all payloads are smaller. */
const smallBytes = 64 * 1024;

/**
 * Reads rows with payloads: by one statement if they are small, otherwise by a second one once the
 * answer has memory for them. `fetch` reads at most so many bytes. `seen` are the rows of a first
 * statement that was made before.
 */
export async function readPayloads<Row extends Sized>(
  meter: AnswerMeter,
  fetch: (maxBytes: number) => Promise<Row[]>,
  seen?: Row[],
): Promise<Row[]> {
  const rows = seen ?? (await fetch(smallBytes));
  const bytes = bytesOf(rows);
  meter.load(bytes);
  if (rows.every(({ isRead }) => isRead)) return rows;
  await meter.makeRoom(bytes);
  return fetch(anySize);
}

/** A source whose owners are ids, with one row each. */
export const byIds = <Column extends string, Row extends Sized & { id: string } & Record<Column, string | null>>(
  columns: readonly Column[],
  fetch: PayloadSource<string, Column, Row, string | null>['fetch'],
): PayloadSource<string, Column, Row, string | null> => ({
  columns,
  nameOf: (id) => id,
  fetch,
  valuesOf: (rows, column) => new Map(rows.map((row) => [row.id, row[column]])),
});
