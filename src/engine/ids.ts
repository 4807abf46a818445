import { v7, validate } from 'uuid';

/** A new UUIDv7: sorts by creation time. */
export const newId = (): string => v7();

/**
 * A UUID from outside as it is stored and compared: in small letters. Anything else stays as it is.
 */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/**
 * Whether a string from outside is a UUID at all. What is none addresses nothing: it is answered as
 * unknown.
 */
export const isId = (value: unknown): value is string => typeof value === 'string' && validate(value);
