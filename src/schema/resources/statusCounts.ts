import type { StatusCounts } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';

/** How many runs have each status (3.1). */
export const RunStatusCountsType = builder.objectRef<StatusCounts>('RunStatusCounts').implement({
  fields: (t) => ({
    queued: t.exposeInt('queued'),
    running: t.exposeInt('running'),
    waiting: t.exposeInt('waiting'),
    paused: t.exposeInt('paused'),
    needsAttention: t.exposeInt('needs_attention'),
    succeeded: t.exposeInt('succeeded'),
    failed: t.exposeInt('failed'),
    cancelled: t.exposeInt('cancelled'),
  }),
});
