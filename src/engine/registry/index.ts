export { createRegistry, type RegistryOptions } from './cachedRegistry.ts';
export { maxInFlightRule, readMaxInFlight } from './maxInFlight.ts';
export { onCurrentSnapshot, Refusal, refusal } from './onCurrentSnapshot.ts';
export {
  checkProtocolVersion,
  type ParsedRegistration,
  parseRegistration,
  type RunnerMetadata,
} from './parseRegistration.ts';
export { replaceDefinitions, unregistered } from './replaceDefinitions.ts';
export { noRetry, retryDelayMs } from './retry.ts';
