import { asking, type Gate } from '../candidate.ts';
import { takeTurns } from '../rates.ts';

/**
 * 2.2 `rateLimit`: a burst of `limit` passes, then one every `perMs / limit`. The rest is shed
 * (`dropped`).
 */
export const rateLimit: Gate = async (scene, candidates) => {
  const turns = await takeTurns(scene, asking(candidates, 'rateLimit'), { policy: 'rateLimit', sheds: true });
  for (const { asks, row } of turns) {
    for (const { candidate } of asks.slice(row.granted)) candidate.withheld = 'dropped';
  }
};
