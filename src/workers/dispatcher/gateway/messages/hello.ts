import { protocolVersion } from '@holdfast/sdk/protocol';
import { endCodes, malformed, WireError } from '../closing.ts';

export interface Hello {
  maxInFlight: number;
  /** What the registry is given: it judges names, definitions and the rest. */
  registration: Readonly<Record<string, unknown>>;
}

const defaultMaxInFlight = 100;
const greatestMaxInFlight = 100_000;

/** `hello`: who the runner is and what it serves. Throws `WireError` on another protocol version (9) or a bad field. */
export function readHello(fields: Readonly<Record<string, unknown>>): Hello {
  const { type: _, ...registration } = fields;
  const maxInFlight = registration['maxInFlight'] ?? defaultMaxInFlight;
  checkVersion(fields['protocolVersion']);
  if (!isCount(maxInFlight)) {
    throw malformed(`hello.maxInFlight must be an integer from 1 to ${greatestMaxInFlight}`);
  }
  return { maxInFlight, registration: { ...registration, maxInFlight } };
}

/** A runner that names no version is taken to be compatible. */
function checkVersion(version: unknown): void {
  if (version === undefined || version === null || version === protocolVersion) return;
  if (typeof version !== 'number') throw malformed('hello.protocolVersion must be a number');
  throw new WireError(
    endCodes.protocolVersion,
    `protocol version ${version} is not supported: this service speaks ${protocolVersion}`,
  );
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= greatestMaxInFlight;
