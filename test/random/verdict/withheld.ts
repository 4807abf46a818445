import type { FlowControl } from '@holdfast/sdk/protocol';

/** Why a start comes to no run, or not at once. */
export const reasons = ['deduped', 'skipped', 'dropped', 'debounced', 'batched'] as const;
export type Reason = (typeof reasons)[number];

/** What may come of a start under these policies; a call is not put into buffers. */
export function outcomesOf(flow: FlowControl | undefined, { isCall }: { isCall: boolean }): ('run' | Reason)[] {
  const { idempotency, singleton, rateLimit, debounce, batch } = flow ?? {};
  const passed = isCall ? 'run' : debounce ? 'debounced' : batch ? 'batched' : 'run';
  return [
    ...(idempotency ? ['deduped' as const] : []),
    ...(singleton?.mode === 'skip' ? ['skipped' as const] : []),
    ...(rateLimit ? ['dropped' as const] : []),
    passed,
  ];
}

/** Whether a start may come to nothing, or to nothing of its own. */
export const mayWithhold = (flow: FlowControl | undefined): boolean =>
  outcomesOf(flow, { isCall: false }).some((outcome) => outcome !== 'run');

/** Whether starts are put into a buffer first, unless somebody waits for their result. */
export const isBuffered = (flow: FlowControl | undefined): boolean => Boolean(flow?.debounce ?? flow?.batch);
