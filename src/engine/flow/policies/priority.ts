import { z } from 'zod';
import { type Policy, shiftMs } from '../index.ts';

/** 2.2 `priority`: shifts the time at which a run counts as enqueued. */
export const priority = {
  settings: z.strictObject({ shiftMs }).meta({ title: 'FlowPriority' }),
  queued: (policy) => ({ shiftMs: policy.shiftMs }),
} satisfies Policy<'priority'>;
