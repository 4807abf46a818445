type Primitive = string | number | boolean | null;
/** A type that is JSON as it is. JSON drops symbol keys, so they are excluded. */
type Json = Primitive | readonly Json[] | { readonly [key: string]: Json; readonly [key: symbol]: never };
/**
 * The same, except for optional members, and for interfaces, which have no index signature for
 * symbols.
 */
type LooseJson = Primitive | readonly LooseJson[] | { readonly [key: string]: LooseJson | undefined };
/**
 * Whether a type with arbitrary keys was declared as JSON. A type with certain keys is examined key
 * by key.
 */
type IsWhole<T> = T extends LooseJson
  ? T extends readonly unknown[]
    ? true
    : string extends keyof T
      ? true
      : false
  : false;
type Unsupported = bigint | symbol | ((...args: never[]) => unknown);

/**
 * Objects whose content is not in their own fields, recognized by shape, so that no platform types
 * are needed. They are bytes, bodies and blobs, headers and form data, collections, promises,
 * iterators, streams, signals. `Error` is absent, because plain objects may have the same shape.
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
 * The type of a `T` that was written as JSON and read back. A `Date` becomes a string; `undefined`
 * becomes `null` at the top and an absent property inside. A value that JSON cannot carry is
 * `never`.
 */
export type Jsonify<T> = unknown extends T
  ? T
  : // Stops here: types of JSON values refer to themselves, and the compiler would not terminate.
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
            : T extends Unsupported
              ? never
              : T extends readonly unknown[]
                ? { [K in keyof T]: Jsonify<T[K]> }
                : T extends object
                  ? JsonifyObject<T>
                  : never;

type Said<T> = { [K in keyof T as K extends symbol ? never : T[K] extends Unsupported ? never : K]: T[K] };
type OptionalKey<T> = { [K in keyof T]-?: unknown extends T[K] ? never : undefined extends T[K] ? K : never }[keyof T];
type Flat<T> = { [K in keyof T]: T[K] };

type JsonifyObject<T> = Flat<
  { [K in keyof Omit<Said<T>, OptionalKey<Said<T>>>]: Jsonify<Said<T>[K]> } & {
    [K in OptionalKey<Said<T>>]?: Jsonify<Exclude<Said<T>[K], undefined>>;
  }
>;
