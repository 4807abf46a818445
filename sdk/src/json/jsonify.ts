type Primitive = string | number | boolean | null;
type Unsayable = bigint | symbol | ((...args: never[]) => unknown);

/**
 * What is left of a `T` once it has been written as JSON and read back: a `Date` is a string, `undefined` is `null` at
 * the top and an absent property inside. A value that JSON cannot say is `never`.
 */
export type Jsonify<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends void
      ? null
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
