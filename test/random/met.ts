import type { FlowControl } from '@holdfast/sdk/protocol';
import { expect } from 'vitest';
import { runTransitions } from '../../src/engine/runs/transitions.ts';
import type { Coverage } from './coverage.ts';

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
const flowStatements: Partial<Record<keyof FlowControl | 'ceiling', readonly string[]>> = {
  batch: ['growBatches', 'openBatches', 'putBufferItems', 'readBufferItems', 'removeFlushed', 'takeDueBuffers'],
  ceiling: ['gateRuns', 'leaseWork', 'openCeilings'],
  concurrency: ['gateRuns', 'leaseWork', 'openSlots'],
  debounce: ['putBufferItems', 'removeFlushed', 'slideDebounced', 'takeDueBuffers'],
  idempotency: ['claimKeys', 'releaseKeys'],
  rateLimit: ['advanceRates'],
  singleton: ['findHolders', 'lockPlaces'],
  throttle: ['advanceRates'],
};

/** What policies are aimed at where they are in force. */
export const aimsOf = (policies: readonly string[]): string[] =>
  Object.entries(flowStatements).flatMap(([policy, names]) => (policies.includes(policy) ? names : []));

/** Claims are given up where two policies come together: seldom. */
const rare = ['releaseKeys'];

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

/** No storm lasts as long as a run waits for a runner. */
const changes = runTransitions.filter(({ name }) => name !== 'unserved');

const expected: Record<string, readonly string[]> = {
  opcode: ['Approval', 'Emit', 'Levitate', 'RunWorkflow', 'Score', 'Sleep', 'SleepUntil', 'StepRun', 'WaitForEvent'],
  move: [
    'advance',
    'answer',
    'cancel',
    'cancelAll',
    'claim',
    'contend',
    'decide',
    'drop',
    'event',
    'fire',
    'flush',
    'gates',
    'gather',
    'invoke',
    'meet',
    'pause',
    'recover',
    'repeat',
    'replay',
    'replayAll',
    'resume',
    'retry',
    'runner',
    'rush',
    'start',
    'steal',
    'strand',
    'tick',
    'trigger',
    'wake',
  ],
  fault: ['late answer', 'steps reported again'],
  race: ['waited for a lock'],
  start: ['leased at once'],
  gate: ['ceiling', 'openCeilings', 'openSlots', 'slot'],
  full: ['ceiling', 'slot'],
  meeting: [
    'stolen',
    ...['executing, gated', 'executing, ready'],
    ...['Approval', 'RunWorkflow', 'Sleep', 'WaitForEvent'].map((op) => `in flight, ${op}`),
    ...['Approval', 'WaitForEvent'].flatMap((op) => [`parked, ${op}`, `paused, ${op}`]),
  ],
  batch: ['alone', 'full', 'several'],
  debounce: ['another came', 'into a batch'],
  singleton: ['displaced', 'displaced by itself'],
  throttle: ['put off'],
  withheld: [
    ...['batched', 'call deduped', 'call dropped', 'call skipped', 'debounced', 'deduped', 'dropped', 'skipped'],
  ],
  approval: ['approved', 'approved by timeout', 'cancelled', 'denied', 'denied by timeout'],
  cron: ['fired'],
  fork: ['carried steps'],
  origin: ['child', 'cron', 'event', 'follow-on', 'started over'],
  recovery: ['events', 'expired approvals', 'flushed', 'found dead itself', 'let in', 'outcomes', 'revived', 'woken'],
  wait: ['any', 'by key', 'timed out'],
  status: ['cancelled', 'failed', 'succeeded'],
  transition: changes.flatMap(({ from, to }) => from.map((status) => `${status} → ${to}`)),
};

/** A storm that met nothing proves nothing: each opcode, fault and recovery must have been there. */
export function expectEverythingMet(coverage: Coverage): void {
  for (const [kind, all] of Object.entries(expected))
    expect(coverage.of(kind), kind).toEqual(expect.arrayContaining([...all]));
  const died = new Set(coverage.of('died').map((place) => place.split(':')[0]));
  const places = [...mortalStatements, ...Object.values(flowStatements).flat()].filter((name) => !rare.includes(name));
  expect(places.filter((name) => !died.has(name))).toEqual([]);
  expect(coverage.of('connection lost').length).toBeGreaterThan(20);
}
