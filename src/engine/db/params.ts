/**
 * An SQL type of a parameter, or of a column of a row set. Its value is the property of the same
 * name, unless `of` computes it. `T` is the type that callers give.
 */
export interface SqlType<T> extends AnyParam {
  /** Never set: keeps `T` for the compiler. */
  readonly given?: T;
  pick?: never;
  /** The same type, but callers may omit the value, which gives null. */
  readonly orNull: SqlType<T | null | undefined>;
  readonly list: SqlType<readonly T[]>;
  /** The same type, limited to some of its values. */
  narrow<U extends T>(): SqlType<U>;
  /**
   * Computes the value from the caller's parameters, or from an item of the row set and its index.
   */
  of<From>(pick: (from: From, index: number) => T): Picked<From>;
}

/** A parameter or column whose value is computed. */
export interface Picked<From> extends AnyParam {
  pick(from: From, index: number): unknown;
}

export interface AnyParam {
  readonly type: string;
  pick?(from: unknown, index: number): unknown;
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
/** A transaction number. */
export const xid = sqlType<string>('xid');
export const bytea = sqlType<Uint8Array>('bytea');
/** JSON as text, exactly as stored. */
export const json = sqlType<string>('json');
/** A value that is written as JSON. */
export const jsonb = sqlType<unknown>('jsonb');

/**
 * The clock of a statement, always named `now`. Null in production; tests pass an instant. In the
 * text, `$now` is the start of the transaction and `$clock` the present instant.
 */
export const instant = sqlType<Date | null>('timestamptz');

/** A column with the index of its item in the row set, from 0. */
export const ordinal: Picked<object> = int.of((_: object, index) => index);

/** A column that PostgreSQL numbers, from 1 (`with ordinality`). */
export const ordinality: Picked<object> = { type: 'ordinality', pick: () => undefined };

/**
 * Rows as one parameter. In the text, `$rows as r` is a table `r` with these columns, in snake
 * case.
 */
export interface Rowset<Item> extends AnyRowset {
  /** Never set: keeps `Item` for the compiler. */
  readonly item?: Item;
  items?: never;
  /** Computes the items from the caller's parameters. */
  of<From>(items: (from: From) => readonly Item[]): PickedRows<From>;
}

export interface PickedRows<From> extends AnyRowset {
  items(from: From): readonly unknown[];
}

export interface AnyRowset {
  readonly columns: Readonly<Record<string, AnyParam>>;
  items?(from: unknown): readonly unknown[];
}

export const rowset = <Columns extends AnyRowset['columns']>(columns: Columns): Rowset<Given<Columns>> => ({
  columns,
  of: (items) => ({ columns, items }),
});

export type Params = Readonly<Record<string, AnyParam | AnyRowset>>;

/** The type of the values that a caller gives for these parameters or columns. */
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
