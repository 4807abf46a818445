/**
 * An SQL type as a parameter, or as a column of a row set. It takes the property of its own name,
 * unless `of` says which value. `T` is the type of what callers give.
 */
export interface SqlType<T> extends AnyParam {
  /** Never set: it keeps `T` for the compiler. */
  readonly given?: T;
  pick?: never;
  /** The same type; callers may leave it out, which gives null. */
  readonly orNull: SqlType<T | null | undefined>;
  /** An array of this type. */
  readonly list: SqlType<readonly T[]>;
  /** The same type, for some of its values only. */
  narrow<U extends T>(): SqlType<U>;
  /**
   * Computes the value: from all that the caller gives, or from an item of the row set and its
   * place.
   */
  of<From>(pick: (from: From, place: number) => T): Picked<From>;
}

/** A parameter, or a column, whose value is computed. */
export interface Picked<From> extends AnyParam {
  pick(from: From, place: number): unknown;
}

export interface AnyParam {
  readonly type: string;
  pick?(from: unknown, place: number): unknown;
}

const sqlType = <T>(type: string): SqlType<T> => ({
  type,
  get orNull() {
    return sqlType<T | null | undefined>(type);
  },
  get list() {
    return sqlType<readonly T[]>(`${type}[]`);
  },
  narrow: <U extends T>() => sqlType<U>(type),
  of: (pick) => ({ type, pick }),
});

export const uuid = sqlType<string>('uuid');
export const text = sqlType<string>('text');
export const int = sqlType<number>('int');
export const bigint = sqlType<number | bigint | string>('bigint');
export const float8 = sqlType<number>('float8');
export const numeric = sqlType<number | string>('numeric');
export const bool = sqlType<boolean>('bool');
export const timestamptz = sqlType<Date>('timestamptz');
/** The number of a transaction. */
export const xid = sqlType<string>('xid');
export const bytea = sqlType<Uint8Array>('bytea');
/** JSON as text, as it is stored. */
export const json = sqlType<string>('json');
/** A value that is written as JSON. */
export const jsonb = sqlType<unknown>('jsonb');

/**
 * The clock of a statement, always named `now`: null but for tests, which move it. In the text,
 * `$now` is the start of the transaction and `$clock` the present instant.
 */
export const instant = sqlType<Date | null>('timestamptz');

/** A column that holds the place of its item in the row set, from 0. */
export const place: Picked<object> = int.of((_: object, at) => at);

/** A column that PostgreSQL numbers, from 1 (`with ordinality`). */
export const ordinality: Picked<object> = { type: 'ordinality', pick: () => undefined };

/**
 * Rows as one parameter: in the text, `$rows as r` is a table `r` with these columns, in snake
 * case.
 */
export interface Rowset<Item> extends AnyRowset {
  /** Never set: it keeps `Item` for the compiler. */
  readonly item?: Item;
  items?: never;
  /** Computes the items from all that the caller gives. */
  of<From>(items: (from: From) => readonly Item[]): PickedRows<From>;
}

/** A row set whose items are computed. */
export interface PickedRows<From> extends AnyRowset {
  items(from: From): readonly unknown[];
}

export interface AnyRowset {
  readonly columns: Readonly<Record<string, AnyParam>>;
  items?(from: unknown): readonly unknown[];
}

/** Makes a row set of its columns. */
export const rowset = <Columns extends AnyRowset['columns']>(columns: Columns): Rowset<Given<Columns>> => ({
  columns,
  of: (items) => ({ columns, items }),
});

/** The parameters of a statement, by the names that its text uses. */
export type Params = Readonly<Record<string, AnyParam | AnyRowset>>;

/** What a caller gives for these parameters, or as an item with these columns. */
export type Given<Spec> = Intersected<{ [Name in keyof Spec]: GivenFor<Name, Spec[Name]> }[keyof Spec]>;

type GivenFor<Name extends PropertyKey, Spec> =
  Spec extends SqlType<infer T>
    ? undefined extends T
      ? { readonly [name in Name]?: T }
      : { readonly [name in Name]: T }
    : Spec extends Rowset<infer Item>
      ? { readonly [name in Name]: readonly Item[] }
      : Spec extends PickedRows<infer From>
        ? From
        : Spec extends Picked<infer From>
          ? From
          : never;

type Intersected<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer All) => void
  ? All
  : never;
