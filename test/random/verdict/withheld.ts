import type { FlowControl } from '@holdfast/sdk/protocol';

/** Why a start makes no run, or none at once. */
export const reasons = ['deduped', 'skipped', 'dropped', 'debounced', 'batched'] as const;
export type Reason = (typeof reasons)[number];

/** The possible outcomes of a start under these policies. A call is never buffered. */
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

/** Whether a start may make no run of its own. */
export const mayWithhold = (flow: FlowControl | undefined): boolean =>
  outcomesOf(flow, { isCall: false }).some((outcome) => outcome !== 'run');

/** Whether starts are buffered first, unless their caller waits for the result. */
export const isBuffered = (flow: FlowControl | undefined): boolean => Boolean(flow?.debounce ?? flow?.batch);
