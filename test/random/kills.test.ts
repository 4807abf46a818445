import { describe, expect, test } from 'vitest';
import { inHand } from './kills/gateWatch.ts';
import { KillWorld } from './kills/world.ts';
import type { Coverage } from './kit/coverage.ts';
import { endTrial, settingsOf } from './kit/trialSettings.ts';
import { drawFrom } from './kit/turns.ts';

const dayMs = 86_400_000;
/** After this many kills, everything was met, and each policy had something in hand. */
const telling = 20;
/** After this many kills, everything that was started must end. */
const killsPerRound = 10;

/** Policies that held something back. */
const policies =
  'batch, budget, cap, concurrency, debounce, idempotency, rateLimit, singleton with cancel, singleton with skip, throttle, tokenThrottle'.split(
    ', ',
  );

const notMet = (coverage: Coverage): string[] => [
  ...coverage.missing('gate', policies),
  ...coverage.missing('struck', inHand),
];

describe('two processes of the service under load', () => {
  test(
    'lose nothing and double nothing, whichever of them is killed, and when',
    async () => {
      const { seed, from, count } = settingsOf(3);
      const world = await KillWorld.open(drawFrom(seed + from));
      const failures: string[] = [];
      let kills = 0;
      try {
        while (kills < count) {
          const round = Math.min(killsPerRound, count - kills);
          await world.storm(round);
          kills += round;
          await world.settle();
          console.log(`kills: ${kills} of ${count}, ${world.started} runs, longest start ${world.longestStartMs} ms`);
        }
        expect(await world.doctor()).toEqual([]);
        expect(world.coverage.of('kill').length).toBeGreaterThan(0);
        expect(policies).toEqual(expect.arrayContaining(world.coverage.of('gate')));
        expect(inHand).toEqual(expect.arrayContaining(world.coverage.of('struck')));
      } catch (error) {
        const replay = `RANDOM_SEED=${seed} RANDOM_FROM=${from} RANDOM_COUNT=${count} npm test -- test/random/kills.test.ts`;
        failures.push(`kills: ${replay}\n${String(error)}`);
      } finally {
        await world.close();
      }
      const met = world.coverage.report();
      const report = { trial: 'kills', seed, from, count: kills, met, notMet: notMet(world.coverage), telling };
      endTrial(report, failures);
    },
    dayMs,
  );
});
