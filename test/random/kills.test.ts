import { describe, expect, test } from 'vitest';
import { inHand } from './killGateWatch.ts';
import { KillWorld } from './killWorld.ts';
import { reportOf, settingsOf } from './trialSettings.ts';
import { drawFrom } from './turns.ts';

const dayMs = 86_400_000;
/** So many kills meet everything, and find every policy with something in hand. */
const tellingKills = 20;
/** After so many kills everything that was started must come to its end. */
const killsPerRound = 10;

/** Policies that held something back. */
const policies =
  'batch, concurrency, debounce, idempotency, rateLimit, singleton with cancel, singleton with skip, throttle'.split(
    ', ',
  );

describe('two processes of the service under load', () => {
  test(
    'lose nothing and double nothing, whichever of them is killed, and when',
    async () => {
      const { seed, from, count } = settingsOf(3);
      const draw = drawFrom(seed + from);
      const world = await KillWorld.open(draw);
      try {
        for (let kills = 0; kills < count; ) {
          const round = Math.min(killsPerRound, count - kills);
          await world.storm(round);
          kills += round;
          await world.settle();
          console.log(`kills: ${kills} of ${count}, ${world.started} runs, longest start ${world.longestStartMs} ms`);
        }
        expect(await world.doctor()).toEqual([]);
        expect(world.coverage.of('kill').length).toBeGreaterThan(0);
        if (count >= tellingKills) {
          expect(world.coverage.of('gate')).toEqual(policies);
          expect(world.coverage.of('struck')).toEqual(inHand);
        }
      } catch (error) {
        reportOf({ trial: 'kills', seed, from, count: 0, met: world.coverage.report() }, [
          `kills: RANDOM_SEED=${seed} RANDOM_FROM=${from} RANDOM_COUNT=${count} npm test -- test/random/kills.test.ts\n${String(error)}`,
        ]);
        throw error;
      } finally {
        await world.close();
      }
      reportOf({ trial: 'kills', seed, from, count, met: world.coverage.report() }, []);
    },
    dayMs,
  );
});
