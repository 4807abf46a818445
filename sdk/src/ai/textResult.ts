import { isError } from '../isError.ts';
import { type Fields, fieldsOf } from './fields.ts';

/**
 * Owns: the JSON of a result of `generateText`, whose facts are getters over its steps, which JSON
 * does not see.
 *
 * Leaves out what a later pass cannot use: requests, the bodies and headers of responses, and
 * copies of other members.
 */

/** Results of `generateText` of `ai` 5 to 7 as plain data; any other value as it is. */
export function plainTextResults(value: unknown): unknown {
  return Array.isArray(value) ? value.map(plainTextResult) : plainTextResult(value);
}

function plainTextResult(value: unknown): unknown {
  if (!isTextResult(value)) return value;
  // Versions that have `output` keep its former name beside it.
  const result = members(value, 'output' in value ? new Set([...leftOut, 'experimental_output']) : leftOut);
  return { ...plainFields(result), steps: value.steps.map(plainStep) };
}

interface TextResult extends Fields {
  readonly steps: readonly unknown[];
}

function isTextResult(value: unknown): value is TextResult {
  if (typeof value !== 'object' || value === null || isPlain(value)) return false;
  if (!('steps' in value && 'text' in value && 'finishReason' in value)) return false;
  return Array.isArray(value.steps) && value.steps.length > 0;
}

const leftOut = new Set(['steps', 'request', 'finalStep', 'initialResponseMessages', 'resolvedOutput', '_output']);
const leftOutOfSteps = new Set([
  'request',
  'staticToolCalls',
  'dynamicToolCalls',
  'staticToolResults',
  'dynamicToolResults',
  // Contexts are the caller's own, and may be anything.
  'experimental_context',
  'runtimeContext',
  'toolsContext',
]);

function plainStep(step: unknown): unknown {
  if (typeof step !== 'object' || step === null) return step;
  return plainFields(members(step, leftOutOfSteps), new Set(['body', 'headers', 'messages']));
}

function plainFields({ response, ...rest }: Fields, leftOutOfResponse = new Set(['body', 'headers'])): Fields {
  const kept = typeof response === 'object' && response !== null ? members(response, leftOutOfResponse) : undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, plain(member)])),
    ...(kept && { response: plain(kept) }),
  };
}

/** The fields and the values of the getters of an object and its classes. */
function members(object: object, without: ReadonlySet<string>): Fields {
  const found: Record<string, unknown> = {};
  for (const name of memberNames(object)) {
    if (without.has(name)) continue;
    try {
      found[name] = Reflect.get(object, name);
    } catch {
      // `output` throws where none was asked for.
    }
  }
  return found;
}

function memberNames(object: object): string[] {
  const names = new Set(Object.keys(object));
  for (let level: unknown = object; isInstance(level); level = Object.getPrototypeOf(level)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(level))) if (get) names.add(name);
  }
  return [...names];
}

const isInstance = (level: unknown): level is object =>
  typeof level === 'object' && level !== null && Object.getPrototypeOf(level) !== null;

/** Deeper values are left to the encoder of JSON, which finds cycles. */
const depthLimit = 480;

/** Values as JSON can carry them: bytes as base64, errors by name and message. */
function plain(value: unknown, depth = 0): unknown {
  const fields = fieldsOf(value);
  if (fields === undefined || depth > depthLimit) return value;
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isError(value)) return { name: value.name, message: value.message };
  if ('base64' in fields && 'uint8Array' in fields) return plainFile(fields);
  if (!isPlain(fields)) return value;
  return Object.fromEntries(Object.entries(fields).map(([name, member]) => [name, plain(member, depth + 1)]));
}

/** A generated file has its bytes in either of two forms, and a getter for each. */
function plainFile(file: Fields): Fields {
  const { base64Data: _text, uint8ArrayData: _bytes, ...facts } = file;
  return { ...facts, base64: file.base64 };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
