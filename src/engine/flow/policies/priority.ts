import { z } from 'zod';
import { type Policy, shiftMs } from '../index.ts';

/** 2.2 `priority`: a run counts as enqueued earlier, or later, than it was. */
export const priority = {
  settings: z.strictObject({ shiftMs }).meta({ title: 'FlowPriority' }),
  queued: (policy) => ({ shiftMs: policy.shiftMs }),
} satisfies Policy<'priority'>;
