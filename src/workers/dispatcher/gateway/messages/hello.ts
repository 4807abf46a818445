import { protocolVersion } from '@holdfast/sdk/protocol';
import { maxInFlightRule, readMaxInFlight } from '../../../../engine/registry/index.ts';
import { endCodes, malformed, WireError } from '../closing.ts';

export interface Hello {
  maxInFlight: number;
  /** What the registry is given: it judges names, definitions and the rest. */
  registration: Readonly<Record<string, unknown>>;
}

/**
 * `hello`: who the runner is and what it serves. Throws `WireError` on another protocol version (9)
 * or a bad field.
 */
export function readHello(fields: Readonly<Record<string, unknown>>): Hello {
  const { type: _, ...registration } = fields;
  checkVersion(fields['protocolVersion']);
  const maxInFlight = readMaxInFlight(fields['maxInFlight']);
  if (maxInFlight === undefined) throw malformed(`hello.maxInFlight ${maxInFlightRule}`);
  return { maxInFlight, registration };
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
