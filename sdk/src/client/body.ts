import { NotJsonError } from '../errors.ts';
import { encodeJson } from '../json/encode.ts';

/**
 * A request body whose payload is checked: what JSON cannot say is refused here, not lost on the
 * way.
 */
export function body(what: string, fields: object, payload: Record<string, unknown>): object {
  try {
    for (const value of Object.values(payload)) encodeJson(value);
  } catch (cause) {
    throw cause instanceof NotJsonError ? new NotJsonError(`${what} cannot be sent: ${cause.message}`) : cause;
  }
  return { ...fields, ...payload };
}
