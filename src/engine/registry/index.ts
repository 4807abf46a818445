export { createRegistry } from './cachedRegistry.ts';
export { onCurrentSnapshot, Refusal, refusal } from './onCurrentSnapshot.ts';
export {
  maxInFlightRule,
  type ParsedRegistration,
  parseRegistration,
  protocolVersionFault,
  type RunnerMetadata,
  readMaxInFlight,
} from './parseRegistration.ts';
export { replaceDefinitions, unregistered } from './replaceDefinitions.ts';
export { defaultRetry, maxRetryDelayMs, parseRetry, retryDelayMs } from './retry.ts';
