export type { Distribution } from './distribution.ts';
export {
  eventSources,
  type InvokeKind,
  invokeKinds,
  leaseLosses,
  type PassOutcome,
  passOutcomes,
  processTally,
  type RunnerFigures,
  type Transport,
  transports,
} from './processTally.ts';
export {
  durationBounds,
  endStatuses,
  maxWorkflows,
  type NamedTally,
  otherName,
  stepResults,
  tallyOfWorkflow,
  type WithholdingGate,
  type WorkflowTally,
  waitBounds,
  withholdingGates,
  workflowTallies,
} from './workflowTally.ts';
