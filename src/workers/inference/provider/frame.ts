/** Reads JSON of a provider, of which nothing is known. */
export type Fields = { readonly [key: string]: unknown };

/** The value as an object; empty if it is none. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A number of tokens. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
