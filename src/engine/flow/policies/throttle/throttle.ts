import { z } from 'zod';
import { lastInstantMs } from '../../../instant.ts';
import { keyOfScope, maxStateRows, ofScope, type Policy, policyState, rate, takeTurns } from '../../index.ts';
import { listDelayed } from './sql/listDelayed.ts';

const instantOf = (us: number): Date => new Date(Math.min(Math.ceil(us / 1000), lastInstantMs));

const later = (one: Date | undefined, other: Date): Date => (one && one > other ? one : other);

const state = policyState({
  field: 'throttle',
  row: z
    .object({
      ...ofScope,
      delayed: z.number().describe('Delayed starts, including starts that were cancelled since.'),
      nextStartAt: z.date(),
    })
    .meta({ title: 'FlowThrottleState' }),
  async read(ctx, { projectId, workflow }) {
    const rows = await listDelayed(ctx.db, { projectId, workflow, limit: maxStateRows, now: ctx.clock.sql() });
    return rows.map((row) => ({ ...row, key: keyOfScope(row.key) }));
  },
});

/**
 * 2.2 `throttle`: starts are spaced by `perMs / limit`. An early start is delayed, never dropped.
 */
export const throttle = {
  settings: rate,
  origins: ['start', 'debounced', 'batched', 'call', 'fork'],
  gates: {
    async delay(admission, asks) {
      for (const { asks: all, row } of await takeTurns(admission, asks, { policy: 'throttle', sheds: false })) {
        all.forEach(({ candidate, policy: { limit, perMs } }, position) => {
          const atUs = row.baseUs + (position * perMs * 1000) / limit;
          if (atUs > row.nowUs) candidate.startAt = later(candidate.startAt, instantOf(atUs));
        });
      }
    },
  },
  pace: ({ limit, perMs }) => ({ count: limit, perMs }),
  delays: 'turns',
  state,
} satisfies Policy<'throttle'>;
