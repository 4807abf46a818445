import { expect } from 'vitest';
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
];

const expected: Record<string, readonly string[]> = {
  opcode: ['Approval', 'Emit', 'Levitate', 'RunWorkflow', 'Score', 'Sleep', 'SleepUntil', 'StepRun', 'WaitForEvent'],
  move: [
    'advance',
    'answer',
    'cancel',
    'claim',
    'decide',
    'drop',
    'event',
    'invoke',
    'pause',
    'recover',
    'repeat',
    'replay',
    'resume',
    'runner',
    'start',
    'strand',
    'tick',
    'wake',
  ],
  fault: ['late answer', 'steps reported again'],
  recovery: ['events', 'expired approvals', 'found dead itself', 'outcomes', 'revived', 'woken'],
  wait: ['any', 'by key', 'timed out'],
  status: ['cancelled', 'failed', 'succeeded'],
};

/** A storm that met nothing proves nothing: each opcode, fault and recovery must have been there. */
export function expectEverythingMet(coverage: Coverage): void {
  for (const [kind, all] of Object.entries(expected))
    expect(coverage.of(kind), kind).toEqual(expect.arrayContaining([...all]));
  const died = new Set(coverage.of('died').map((place) => place.split(':')[0]));
  expect(mortalStatements.filter((name) => !died.has(name))).toEqual([]);
}
