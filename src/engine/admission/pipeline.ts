import type { Gate, Scene, StartCandidate, StartGate } from './candidate.ts';
import { batch } from './gates/batch.ts';
import { debounce } from './gates/debounce.ts';
import { giveUpClaims, idempotency } from './gates/idempotency.ts';
import { rateLimit } from './gates/rateLimit.ts';
import { skipTaken, takePlace } from './gates/singleton.ts';
import { startTimes } from './gates/startTimes.ts';
import { throttle } from './gates/throttle.ts';
import { tokenThrottle } from './gates/tokenThrottle.ts';

/*
 * Every start passes these gates, in this order; docs/guides/flow-control.md says why in this one.
 *
 * What is left of a start's way is no gate, but where it stands: `priority` shifts its place in the
 * queue, `concurrency` and the project's ceiling decide when it executes, `cap` bounds what it
 * spends. Under a spent `budget` a run is made, and begins paused (`holdSpent`).
 */

/** At the door: whether an event comes to a start at all, and whether now or with others, later. */
export const door: readonly Gate[] = [idempotency, skipTaken, rateLimit, debounce];

/** Whether it goes with others; what leaves a `debounce` buffer enters here. */
export const gather: readonly Gate[] = [batch];

/**
 * At the start, also of forks and of what leaves a `batch` buffer: whether there is a place for it,
 * and when it begins.
 */
export const start: readonly StartGate[] = [takePlace, throttle, tokenThrottle, startTimes];

/** Whatever has become of it. */
export const after: readonly Gate[] = [giveUpClaims];

/** Takes starts through the gates of the start, in order. */
export async function passStart(scene: Scene, candidates: readonly StartCandidate[]): Promise<void> {
  for (const gate of start) await gate(scene, candidates);
}
