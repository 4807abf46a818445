import { keepPolicies } from '../flow/index.ts';
import type { Scene, StartCandidate } from './candidate.ts';

/**
 * Policies that leave something behind which is a matter of their figures: a turn, a start time, a
 * time to flush.
 */
const timed = ['rateLimit', 'debounce', 'batch', 'throttle', 'tokenThrottle'] as const;

/**
 * Has no registration change the policies of starts while they pass the gates. That they were
 * planned by those in force is looked at when they are recorded.
 */
export async function holdSteady(
  { tx }: Scene,
  starts: readonly Pick<StartCandidate, 'run' | 'gates'>[],
): Promise<void> {
  const workflows = starts.flatMap(({ run, gates }) => (timed.some((name) => gates[name]) ? [run] : []));
  if (workflows.length > 0) await keepPolicies(tx, { workflows });
}
