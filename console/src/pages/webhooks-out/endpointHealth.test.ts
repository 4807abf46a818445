import { describe, expect, it } from 'vitest';
import { type EndpointStats, healthOf, rankEndpoints, rateText } from './endpointHealth.ts';

const bucket = (hour: number, succeeded: number, failedAttempts: number) => ({
  bucket: `2026-11-27T${String(hour).padStart(2, '0')}:00:00Z`,
  succeeded,
  failedAttempts,
  attempts: succeeded + failedAttempts,
});

function stats(endpointId: string, buckets: ReturnType<typeof bucket>[]): EndpointStats {
  const sum = (pick: (one: ReturnType<typeof bucket>) => number): number =>
    buckets.reduce((all, one) => all + pick(one), 0);
  return {
    endpointId,
    buckets,
    attempts: sum((one) => one.attempts),
    failedAttempts: sum((one) => one.failedAttempts),
    succeeded: sum((one) => one.succeeded),
  };
}

const endpoint = (id: string, more = {}) => ({ id, enabled: true, ...more });

describe('the health of an endpoint', () => {
  it('is failing since the first of the last hours without a success; hours without attempts do not count', () => {
    const health = healthOf(
      endpoint('a'),
      stats('a', [bucket(8, 5, 0), bucket(9, 0, 3), bucket(10, 0, 0), bucket(11, 0, 4)]),
    );
    expect(health).toMatchObject({ kind: 'failing', failingSince: '2026-11-27T09:00:00Z' });
    expect(health.failureRate).toBeCloseTo(7 / 12);
  });

  it('is troubled, not failing, while deliveries succeed in the last hour', () => {
    const health = healthOf(endpoint('a'), stats('a', [bucket(10, 0, 3), bucket(11, 1, 9)]));
    expect(health).toMatchObject({ kind: 'troubled', failingSince: undefined });
  });

  it('tells an endpoint that the service disabled from one that a person disabled', () => {
    expect(healthOf(endpoint('a', { enabled: false, disabledAt: '2026-11-27T09:00:00Z' }), undefined).kind).toBe(
      'stopped',
    );
    expect(healthOf(endpoint('a', { enabled: false, disabledAt: null }), undefined).kind).toBe('off');
  });

  it('is unknown without attempts', () => {
    expect(healthOf(endpoint('a'), stats('a', []))).toMatchObject({ kind: 'idle', failureRate: undefined });
  });
});

describe('endpoints', () => {
  it('are ranked worst first', () => {
    const ranked = rankEndpoints(
      [
        endpoint('healthy'),
        endpoint('off', { enabled: false }),
        endpoint('idle'),
        endpoint('failing a little'),
        endpoint('failing'),
        endpoint('stopped', { enabled: false, disabledAt: '2026-11-27T09:00:00Z' }),
        endpoint('troubled'),
      ],
      [
        stats('healthy', [bucket(11, 4, 0)]),
        stats('failing a little', [bucket(10, 4, 0), bucket(11, 0, 1)]),
        stats('failing', [bucket(11, 0, 4)]),
        stats('troubled', [bucket(11, 4, 1)]),
      ],
    );
    expect(ranked.map(({ endpoint: { id } }) => id)).toEqual([
      'stopped',
      'failing',
      'failing a little',
      'troubled',
      'healthy',
      'idle',
      'off',
    ]);
  });
});

describe('a rate', () => {
  it('is rounded, but never down to none', () => {
    expect([undefined, 0, 0.0004, 0.0042, 0.25, 1].map(rateText)).toEqual([
      '–',
      '0 %',
      '< 0.1 %',
      '0.4 %',
      '25 %',
      '100 %',
    ]);
  });
});
