import { described, MisuseError } from './misuse.ts';

/** The names of the fields that an object may have. The compiler holds them to the type. */
export type FieldsOf<T> = { readonly [K in keyof Required<T>]: true };

/** Fields, each with the names that people write for it instead. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  if: ['iff', 'match', 'when', 'where', 'filter', 'guard', 'condition', 'expression'],
  event: ['name', 'on'],
  cron: ['schedule'],
  triggers: ['trigger', 'on', 'events'],
  retry: ['retries'],
  maxAttempts: ['attempts', 'retries', 'maxRetries', 'limit', 'max'],
  initialDelayMs: ['delay', 'delayMs', 'initialDelay', 'minTimeoutInMs'],
  maxDelayMs: ['maxDelay', 'maxTimeoutInMs'],
  stepTimeout: ['timeout', 'timeouts'],
  maxDuration: ['timeout', 'timeoutMs'],
  concurrency: ['limit', 'concurrencyLimit'],
  throttle: ['throttling'],
  tags: ['labels', 'metadata'],
  dedupeId: ['idempotencyKey', 'dedupeKey', 'id'],
  perMs: ['period', 'periodMs', 'per'],
  periodMs: ['period', 'perMs', 'ttl', 'windowMs'],
  timeoutMs: ['timeout'],
  maxSize: ['size', 'limit'],
  data: ['payload', 'input', 'body'],
  input: ['data', 'payload'],
  baseUrl: ['url', 'endpoint'],
  apiKey: ['key', 'token', 'secret'],
};

/**
 * Describes the first unknown field of an object from JavaScript; undefined if there is none. A
 * misspelt field would silently have no effect.
 */
export function unknownField(value: object, known: Readonly<Record<string, true>>): string | undefined {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const names = Object.keys(known);
  const meant =
    names.find((name) => otherNames[name]?.includes(unknown)) ?? names.find((name) => isNear(name, unknown));
  const hint = meant === undefined ? `its fields are ${names.join(', ')}` : `perhaps "${meant}" is meant`;
  return `has no field "${unknown}"; ${hint}`;
}

/** Throws a `TypeError` for a value that is no object, or has an unknown field. */
export function refuseUnknown(value: unknown, known: Readonly<Record<string, true>>, subject: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MisuseError(`${subject} must be an object; it is ${described(value)}`);
  const unknown = unknownField(value, known);
  if (unknown !== undefined) throw new MisuseError(`${subject} ${unknown}`);
}

/** Whether two names differ by at most two letters, and by fewer than half. */
export function isNear(one: string, other: string): boolean {
  const most = Math.min(2, Math.floor(one.length / 2));
  return distance(one.toLowerCase(), other.toLowerCase()) <= most;
}

/** How many letters must be put in, taken out or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
