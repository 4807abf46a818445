type Primitive = string | number | boolean | null;
/** What is JSON as it stands. An object with symbols for keys is not: they are lost. */
type Json = Primitive | readonly Json[] | { readonly [key: string]: Json; readonly [key: symbol]: never };
/**
 * The same, were it not for members that may be `undefined`, and for interfaces, which say nothing
 * of symbols.
 */
type LooseJson = Primitive | readonly LooseJson[] | { readonly [key: string]: LooseJson | undefined };
/**
 * Such a type of any keys is written down by hand, and means JSON. One of certain keys is looked
 * into.
 */
type IsWhole<T> = T extends LooseJson
  ? T extends readonly unknown[]
    ? true
    : string extends keyof T
      ? true
      : false
  : false;
type Unsayable = bigint | symbol | ((...args: never[]) => unknown);

/**
 * Objects whose content is not in fields of their own, told by their shape, so that no types of a
 * platform are needed: bytes, bodies and blobs, lists of headers and form fields, collections,
 * promises, iterators, streams, signals. An `Error` has a shape that plain objects have too: such a
 * type cannot be told from one.
 */
type Opaque =
  | ArrayBufferView
  | { arrayBuffer(): Promise<unknown> }
  | { append(name: never, value: never): unknown; delete(name: never): unknown; has(name: never): unknown }
  | { readonly byteLength: number; slice(begin: number): unknown }
  | ReadonlyMap<never, unknown>
  | ReadonlySet<never>
  | WeakMap<never, unknown>
  | WeakSet<never>
  | PromiseLike<unknown>
  | { next(): unknown; [Symbol.iterator](): unknown }
  | { next(): unknown; [Symbol.asyncIterator](): unknown }
  | { getReader(): unknown }
  | { addEventListener(type: never, listener: never): unknown }
  | { deref(): unknown }
  | RegExp;

/**
 * What is left of a `T` once it has been written as JSON and read back: a `Date` is a string,
 * `undefined` is `null` at the top and an absent property inside. A value that JSON cannot say is
 * `never`.
 */
export type Jsonify<T> = unknown extends T
  ? T
  : // Not looked into any further: types of JSON values refer to themselves, and the compiler would never come to an end.
    T extends Json
    ? T
    : IsWhole<T> extends true
      ? T
      : T extends void
        ? null
        : T extends Opaque
          ? never
          : T extends { toJSON(): infer J }
            ? Jsonify<J>
            : T extends Unsayable
              ? never
              : T extends readonly unknown[]
                ? { [K in keyof T]: Jsonify<T[K]> }
                : T extends object
                  ? JsonifyObject<T>
                  : never;

type Said<T> = { [K in keyof T as K extends symbol ? never : T[K] extends Unsayable ? never : K]: T[K] };
type OptionalKey<T> = { [K in keyof T]-?: unknown extends T[K] ? never : undefined extends T[K] ? K : never }[keyof T];
type Flat<T> = { [K in keyof T]: T[K] };

type JsonifyObject<T> = Flat<
  { [K in keyof Omit<Said<T>, OptionalKey<Said<T>>>]: Jsonify<Said<T>[K]> } & {
    [K in OptionalKey<Said<T>>]?: Jsonify<Exclude<Said<T>[K], undefined>>;
  }
>;
