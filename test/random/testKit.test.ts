import { expect, test } from 'vitest';
import { endTrial, settingsOf } from './kit/trialSettings.ts';
import { compareWorlds } from './twins/compare.ts';

const dayMs = 86_400_000;

test(
  'a random script means the same in the test kit and in the service',
  async () => {
    const settings = settingsOf(200);
    const { coverage, failures, tried } = await compareWorlds(settings);
    const notMet = [
      ...coverage.missing('run', ['succeeded', 'failed', 'cancelled', 'waiting', 'needs_attention']),
      ...coverage.missing('pass', ['continued', 'full']),
    ];
    endTrial({ trial: 'testKit', ...settings, count: tried, met: coverage.report(), notMet, telling: 100 }, failures);
    expect(failures).toEqual([]);
  },
  dayMs,
);
