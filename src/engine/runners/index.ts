export { capableRunners, databaseNow, isLive, neverRegistered } from './liveness.ts';
export {
  type ConnectedRunner,
  type ConnectRegistration,
  type HttpRegistration,
  registerRunner,
} from './registerRunner.ts';
export type { RunnerConnection } from './registrationBatch.ts';
export { type HandCall, restoreByHand, retireByHand, settleWorkflows } from './retirement.ts';
export {
  disconnectRunners,
  listHttpRunners,
  missedRunners,
  nextConnectionNo,
  type StrayConnections,
  strayConnections,
  touchRunners,
} from './runnerPresence.ts';
export { bumpRegistry } from './sql/bumpRegistry.ts';
export type { HttpRunner } from './sql/findHttpRunners.ts';
export type { OpenConnection } from './sql/findStrayConnections.ts';
export { type RunnerChange, tailRunners } from './tailRunners.ts';
