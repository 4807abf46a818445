import { describe, expect, it } from 'vitest';
import { type RunnerLike, sdkOf, splitRunners, summarizeApps } from './runnerGroups.ts';

const runner = (change: Partial<RunnerLike> = {}): RunnerLike => ({
  app: 'shop',
  live: true,
  lastSeenAt: '2026-11-27T12:00:00.000Z',
  sdkName: '@holdfast/sdk',
  version: '1.2.0',
  workflows: ['ship'],
  ...change,
});

describe('the summary of an app', () => {
  it('counts the versions that its live runners have', () => {
    const [shop] = summarizeApps([
      runner({ version: '1.1.0' }),
      runner(),
      runner(),
      runner({ version: '0.9.0', live: false }),
    ]);
    expect(shop).toMatchObject({
      live: 3,
      gone: 1,
      sdks: [
        { name: '@holdfast/sdk 1.2.0', runners: 2 },
        { name: '@holdfast/sdk 1.1.0', runners: 1 },
      ],
    });
  });

  it('names the workflows that only some live runners serve', () => {
    const [shop] = summarizeApps([runner({ workflows: ['ship', 'refund'] }), runner()]);
    expect(shop?.partial).toEqual([{ workflow: 'refund', runners: 1 }]);
  });

  it('names no workflow where a gone runner served less', () => {
    expect(summarizeApps([runner(), runner({ live: false, workflows: [] })])[0]?.partial).toEqual([]);
  });

  it('comes first where no runner is live, with the time of the last one', () => {
    const apps = summarizeApps([
      runner(),
      runner({ app: 'zoo', live: false, lastSeenAt: '2026-11-26T12:00:00.000Z' }),
      runner({ app: 'zoo', live: false, lastSeenAt: '2026-11-27T11:00:00.000Z' }),
    ]);
    expect(apps.map(({ app, goneSince }) => [app, goneSince])).toEqual([
      ['zoo', '2026-11-27T11:00:00.000Z'],
      ['shop', undefined],
    ]);
  });
});

it('runners are split into live ones, and gone ones with the latest first', () => {
  const early = runner({ live: false, lastSeenAt: '2026-11-26T12:00:00.000Z' });
  const late = runner({ live: false, lastSeenAt: '2026-11-27T11:00:00.000Z', workflows: ['refund'] });
  const live = runner();
  expect(splitRunners([early, live, late])).toEqual({ live: [live], gone: [late, early] });
  expect(splitRunners([early, live, late], 'refund')).toEqual({ live: [], gone: [late] });
});

it('an SDK that was not reported is named as unknown', () => {
  expect(sdkOf({ sdkName: null, version: null })).toBe('unknown SDK');
});
