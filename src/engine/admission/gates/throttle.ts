import { lastInstantMs } from '../../instant.ts';
import { asking, type StartGate } from '../candidate.ts';
import { takeTurns } from '../rates.ts';

/**
 * 2.2 `throttle`: starts are spaced by `perMs / limit`. Whoever comes early gets a start time, and
 * is never lost.
 */
export const throttle: StartGate = async (scene, candidates) => {
  const turns = await takeTurns(scene, asking(candidates, 'throttle'), { policy: 'throttle', sheds: false });
  for (const { asks, row } of turns) {
    asks.forEach(({ candidate, policy: { limit, perMs } }, position) => {
      const atUs = row.baseUs + (position * perMs * 1000) / limit;
      if (atUs > row.nowUs) candidate.startAt = later(candidate.startAt, instantOf(atUs));
    });
  }
};

const instantOf = (us: number): Date => new Date(Math.min(Math.ceil(us / 1000), lastInstantMs));

const later = (one: Date | undefined, other: Date): Date => (one && one > other ? one : other);
