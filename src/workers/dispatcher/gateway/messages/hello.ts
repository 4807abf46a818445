import { type Feature, features } from '@holdfast/sdk/protocol';
import { maxInFlightRule, protocolVersionFault, readMaxInFlight } from '../../../../engine/registry/index.ts';
import { endCodes, malformed, WireError } from '../closing.ts';

export interface Hello {
  maxInFlight: number;
  /** The features that the service knows, too. */
  features: readonly Feature[];
  /** The fields for the registry, which checks names, definitions and the rest. */
  registration: Readonly<Record<string, unknown>>;
}

/**
 * Reads `hello`: the runner's id and its workflows. Throws `WireError` on another protocol version
 * (9) or a bad field.
 */
export function readHello(fields: Readonly<Record<string, unknown>>): Hello {
  const { type: _, features: offered, ...registration } = fields;
  checkVersion(fields['protocolVersion']);
  const maxInFlight = readMaxInFlight(fields['maxInFlight']);
  if (maxInFlight === undefined) throw malformed(`hello.maxInFlight ${maxInFlightRule}`);
  return { maxInFlight, features: readFeatures(offered), registration };
}

function readFeatures(offered: unknown): Feature[] {
  if (offered === undefined || offered === null) return [];
  if (!Array.isArray(offered) || !offered.every((name) => typeof name === 'string')) {
    throw malformed('hello.features must be an array of strings');
  }
  return features.filter((feature) => offered.includes(feature));
}

/** Another version has a close code of its own; a version that is no number is malformed. */
function checkVersion(version: unknown): void {
  const fault = protocolVersionFault(version);
  if (fault === undefined) return;
  throw typeof version === 'number' ? new WireError(endCodes.protocolVersion, fault) : malformed(fault);
}
