import { expect } from 'vitest';
import { runTransitions } from '../../src/engine/runs/transitions.ts';
import type { Coverage } from './coverage.ts';
import type { Scene } from './process.ts';

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

/** No storm lasts as long as a run waits for a runner. */
const changes = runTransitions.filter(({ name }) => name !== 'unserved');

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
  transition: changes.flatMap(({ from, to }) => from.map((status) => `${status} → ${to}`)),
};

/** Counts how statuses changed, by the journals. That no other change is among them is for the doctor to say. */
export async function noteTransitions({ db, projectId, coverage }: Scene): Promise<void> {
  const { rows } = await db.query<{ change: string }>({
    name: 'transitionsOfProject',
    text: `
      select lag(payload ->> 'status') over (partition by run_id order by seq) || ' → ' || (payload ->> 'status') as change
      from run_frame join run on run.id = run_id
      where project_id = $1 and kind = 'run_status'`,
    values: [projectId],
  });
  for (const { change } of rows) if (change !== null) coverage.count('transition', change);
}

/** A storm that met nothing proves nothing: each opcode, fault and recovery must have been there. */
export function expectEverythingMet(coverage: Coverage): void {
  for (const [kind, all] of Object.entries(expected))
    expect(coverage.of(kind), kind).toEqual(expect.arrayContaining([...all]));
  const died = new Set(coverage.of('died').map((place) => place.split(':')[0]));
  expect(mortalStatements.filter((name) => !died.has(name))).toEqual([]);
}
