export { createRegistry } from './cachedRegistry.ts';
export { parseName } from './names.ts';
export { type NextFires, nextFiresOf } from './nextFires.ts';
export { onCurrentSnapshot, Refusal, refusal } from './onCurrentSnapshot.ts';
export { parseFlowControl } from './parseFlowControl.ts';
export {
  maxInFlightLimit,
  maxInFlightRule,
  maxRunnerUrlLength,
  type ParsedRegistration,
  parseRegistration,
  protocolVersionFault,
  type RunnerMetadata,
  readMaxInFlight,
} from './parseRegistration.ts';
export { replaceDefinitions, unregistered } from './replaceDefinitions.ts';
export {
  awake,
  type LockedWorkflow,
  putRetirements,
  type Retirement,
  type RetirementChange,
  type Service,
  settled,
  wakeServed,
} from './retirement.ts';
export { defaultRetry, maxRetryDelayMs, parseRetry, retryDelayMs } from './retry.ts';
export { lockWorkflows } from './sql/lockWorkflows.ts';
export { selectDefinitionHeads, selectVersions, type WorkflowVersion } from './sql/selectVersions.ts';
