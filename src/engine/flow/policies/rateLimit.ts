import { type Policy, rate, takeTurns } from '../index.ts';

/**
 * 2.2 `rateLimit`: a burst of `limit` starts passes, then one every `perMs / limit`. All others are
 * `dropped`.
 */
export const rateLimit = {
  settings: rate,
  origins: ['start', 'call'],
  gates: {
    async shed(admission, asks) {
      for (const { asks: all, row } of await takeTurns(admission, asks, { policy: 'rateLimit', sheds: true })) {
        for (const { candidate } of all.slice(row.granted)) candidate.withheld = 'dropped';
      }
    },
  },
  pace: ({ limit, perMs }) => ({ count: limit, perMs }),
} satisfies Policy<'rateLimit'>;
