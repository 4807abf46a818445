import type { Steps } from '../../src/engine/slices.ts';

/** The result of a computation, all at once. */
export function completed<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
