import { NotJsonError } from '../errors.ts';
import { encodeJson } from '../json/encode.ts';

/** Builds a request body. Throws `NotJsonError` for a payload that JSON would change. */
export function body(what: string, fields: object, payload: Record<string, unknown>): object {
  try {
    for (const value of Object.values(payload)) encodeJson(value);
  } catch (cause) {
    throw cause instanceof NotJsonError ? new NotJsonError(`${what} cannot be sent: ${cause.message}`) : cause;
  }
  return { ...fields, ...payload };
}
