import type { RunStatus } from '../runs/index.ts';
import type { RunVerdict } from './diagnosis.ts';
import type { ChildWait, InferenceWait, RunWait } from './runWait.ts';

/** The state of a run in one word, by its status and the first of its causes. */
export function verdictOf(status: RunStatus, causes: readonly RunWait[], now: Date): RunVerdict {
  if (status === 'succeeded' || status === 'failed' || status === 'cancelled') return status;
  const [first] = causes;
  return first ? verdictOfCause(first, now) : 'running';
}

function verdictOfCause(cause: RunWait, now: Date): RunVerdict {
  switch (cause.kind) {
    case 'paused':
      return 'paused';
    case 'dispatcher':
      return 'stuck';
    case 'runner':
      return cause.lack === 'none' || cause.lack === 'gone' ? 'stuck' : 'queued';
    case 'approval':
      return 'needs_decision';
    case 'start':
    case 'concurrency':
    case 'ceiling':
      return 'queued';
    case 'transport':
    case 'retry':
      return 'retrying';
    case 'inference':
      return isLeftAlone(cause, now) ? 'stuck' : 'waiting';
    case 'child':
      return verdictOfChild(cause, now);
    case 'event':
    case 'sleep':
      return 'waiting';
  }
}

/** A run is as stuck as its child. But it does not queue, or try again, by itself. */
function verdictOfChild({ because }: ChildWait, now: Date): RunVerdict {
  const verdict = because ? verdictOfCause(because, now) : 'waiting';
  return verdict === 'stuck' || verdict === 'needs_decision' || verdict === 'paused' ? verdict : 'waiting';
}

/** Due calls of a lane with room begin within about a second, if a process of the role is alive. */
const aloneAfterMs = 30_000;

/** Whether a call could have begun long ago, so that no process seems to take it. */
export function isLeftAlone({ lane, isInFlight, isCapped, nextSendAt }: InferenceWait, now: Date): boolean {
  if (isInFlight || isCapped || lane.heldUntil !== null || lane.inFlight > 0) return false;
  return now.getTime() - nextSendAt.getTime() > aloneAfterMs;
}
