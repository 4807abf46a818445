import type { FlowControl } from '@holdfast/sdk/protocol';
import type { Process } from './process.ts';

/** Statements of runs in flight: a storm lets a process die before or after each of them. */
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

/** The same, of what policies do to starts and runs. */
export const flowStatements: Partial<Record<keyof FlowControl | 'ceiling', readonly string[]>> = {
  batch: ['growBatches', 'openBatches', 'putBufferItems', 'readBufferItems', 'removeFlushed', 'takeDueBuffers'],
  budget: ['findSpared', 'findSpending', 'markBudgets', 'markBudgets', 'pauseRuns', 'resumeRuns'],
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

/** What policies are aimed at where they are in force. */
export const aimsOf = (policies: readonly string[]): string[] =>
  Object.entries(flowStatements).flatMap(([policy, names]) => (policies.includes(policy) ? names : []));

/** Of these each is met in every thousand cases; of each policy's own, some are. */
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

/** What happens less often than the others is aimed at more often. */
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

/** Now and then lets a process die at one of the statements of these policies. */
export function endanger({ mortal }: Process, policies: readonly string[], pick: number): void {
  const own = aimsOf(policies);
  if (pick % 4 !== 3 || own.length === 0) return;
  mortal.dieAt(`${own[(pick >> 2) % own.length]}:${(pick >> 7) % 2 === 0 ? 'before' : 'after'}`);
}
