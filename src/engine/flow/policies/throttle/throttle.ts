import { z } from 'zod';
import { lastInstantMs } from '../../../instant.ts';
import {
  keyOfScope,
  maxStateRows,
  ofScope,
  type Policy,
  policyState,
  type RateAsk,
  type RecordingTransaction,
  rate,
  takeTurns,
} from '../../index.ts';
import { listDelayed } from './sql/listDelayed.ts';

const instantOf = (us: number): Date => new Date(Math.min(Math.ceil(us / 1000), lastInstantMs));

/** Takes a turn for each start. Undefined: the turn has come. */
export async function turnsOf<Asking extends RateAsk>(
  recording: RecordingTransaction,
  asks: readonly Asking[],
): Promise<{ ask: Asking; at: Date | undefined }[]> {
  const taken = await takeTurns(recording, asks, { policy: 'throttle', sheds: false });
  return taken.flatMap(({ asks: all, row }) =>
    all.map((ask, position) => {
      const { limit, perMs } = ask.policy;
      const atUs = row.baseUs + (position * perMs * 1000) / limit;
      return { ask, at: atUs > row.nowUs ? instantOf(atUs) : undefined };
    }),
  );
}

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
 * 2.2 `throttle`: starts are spaced by `perMs / limit`. An early start is delayed, never dropped. A
 * start that its caller delays takes its turn when it is due (`takeOwedTurns`).
 */
export const throttle = {
  settings: rate,
  origins: ['start', 'debounced', 'batched', 'call', 'fork'],
  gates: {
    async delay(admission, asks) {
      const now = admission.ctx.clock.now();
      const isDelayed = ({ candidate: { notBefore } }: (typeof asks)[number]): boolean =>
        notBefore !== undefined && notBefore > now;
      // A turn now would be no turn at the time for which the caller asked.
      for (const { candidate, policy } of asks.filter(isDelayed)) candidate.owedTurn = policy.scope;
      const present = asks.filter((ask) => !isDelayed(ask));
      if (present.length === 0) return;
      for (const { ask, at } of await turnsOf(admission, present))
        if (at) ask.candidate.startAt = later(ask.candidate.startAt, at);
    },
  },
  pace: ({ limit, perMs }) => ({ count: limit, perMs }),
  delays: 'turns',
  state,
} satisfies Policy<'throttle'>;
