import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';
import { dataOf } from './scene.ts';

/** Two steps, one after the other. */
export const twoSteps: Script = (request) => {
  for (const name of ['a', 'b']) if (!memoOf(request, name)) return steps([{ op: 'StepRun', name, data: name }]);
  return complete('done');
};
/** Sleeps for a minute. */
export const nap: Script = (request) =>
  dataOf(request, 'nap') === null ? complete('woke') : steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
/** Waits for the event `go`, for a minute and a half. */
export const awaiting: Script = (request) => {
  const memo = memoOf(request, 'go');
  if (!memo || 'pending' in memo)
    return steps([{ op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 90_000 }]);
  return complete(dataOf(request, 'go'));
};
/** The pause of a run by the key of a scene, as reads show it. */
export const pausedBy = { pausedReason: 'manual', pausedActor: 'ops key' };
