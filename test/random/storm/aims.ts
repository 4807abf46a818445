import type { FlowControl } from '@holdfast/sdk/protocol';
import type { Process } from './process.ts';

/** Statements about runs in flight. A storm lets a process die before or after each of them. */
export const mortalStatements = [
  'beatDispatcher',
  'claimWork',
  'commit',
  'commitPasses',
  'finishRuns',
  'ingestIntakes',
  'lockLease',
  'lockRuns',
  'settleSteps',
  'settleWaits',
  'takeOutcome',
  'wakeDue',
  'commitStep',
  'ingestStarts',
];

/** Statements of policies about starts and runs. */
export const flowStatements: Partial<Record<keyof FlowControl | 'ceiling', readonly string[]>> = {
  batch: ['growBatches', 'openBatches', 'putBufferItems', 'readBufferItems', 'removeFlushed', 'takeDueBuffers'],
  budget: ['findResumable', 'findSpending', 'markBudgets', 'markBudgets', 'pauseRuns', 'resumeRuns'],
  cap: ['insertUsage'],
  ceiling: ['gateRuns', 'leaseWork', 'openCeilings'],
  concurrency: ['gateRuns', 'leaseWork', 'openSlots'],
  debounce: ['putBufferItems', 'removeFlushed', 'slideDebounced', 'takeDueBuffers'],
  idempotency: ['claimKeys', 'releaseKeys'],
  rateLimit: ['advanceRates'],
  singleton: ['findHolders', 'lockSingletons'],
  throttle: ['advanceRates'],
  tokenThrottle: ['debitTokens', 'findDrained', 'insertUsage'],
};

/** The aims for policies in force. */
export const aimsOf = (policies: readonly string[]): string[] =>
  Object.entries(flowStatements).flatMap(([policy, names]) => (policies.includes(policy) ? names : []));

/** Each of these is met in every thousand cases, and at least some of each policy's own. */
export const commonFlowStatements = [
  'advanceRates',
  'claimKeys',
  'findHolders',
  'gateRuns',
  'insertUsage',
  'leaseWork',
  'lockSingletons',
  'openCeilings',
  'openSlots',
  'putBufferItems',
  'takeDueBuffers',
];

/** Rare statements are aimed at more often. */
export const aims = [
  ...mortalStatements,
  ...[
    'commitEnd',
    'commitPlain',
    'commitStep',
    'finishRuns',
    'ingestStarts',
    'settleSteps',
    'settleWaits',
    'takeOutcome',
  ].flatMap((name) => [name, name]),
];

/** Sometimes lets a process die at a statement of these policies. */
export function endanger({ mortal }: Process, policies: readonly string[], pick: number): void {
  const own = aimsOf(policies);
  if (pick % 4 !== 3 || own.length === 0) return;
  mortal.dieAt(`${own[(pick >> 2) % own.length]}:${(pick >> 7) % 2 === 0 ? 'before' : 'after'}`);
}
