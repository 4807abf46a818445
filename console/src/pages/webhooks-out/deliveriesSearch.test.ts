import { describe, expect, it } from 'vitest';
import { deliveriesVariables, readDeliveriesSearch, redeliverInput } from './deliveriesSearch.ts';

const now = Date.parse('2026-11-27T12:00:30Z');
const none = new Set<string>();

describe('deliveries of a URL', () => {
  it('are filtered by what the URL says', () => {
    const search = readDeliveriesSearch({ status: 'failed,dead', kind: 'run_failed', since: '1h', endpoint: 'e-1' });
    expect(deliveriesVariables(search, now)).toMatchObject({
      first: 50,
      statuses: ['FAILED', 'DEAD'],
      eventKind: 'RUN_FAILED',
      since: '2026-11-27T11:00:00.000Z',
      endpointId: 'e-1',
    });
  });

  it('ignore words that no filter knows', () => {
    expect(readDeliveriesSearch({ status: 'lost', kind: 'x', since: 'yesterday' })).toEqual({});
  });
});

describe('a bulk redelivery', () => {
  it('takes the filter of the list, and by itself only what failed', () => {
    const search = readDeliveriesSearch({ since: '1h', endpoint: 'e-1' });
    const input = redeliverInput({ search, chosen: none, isEveryStatus: false }, now);
    expect(input).toMatchObject({ endpointId: 'e-1', since: '2026-11-27T11:00:00.000Z' });
    expect(input.statuses).toBeUndefined();
  });

  it('takes every status if the person wants it; those in flight never', () => {
    const input = redeliverInput({ search: {}, chosen: none, isEveryStatus: true });
    expect(input.statuses).toEqual(['FAILED', 'EXHAUSTED', 'DEAD', 'PENDING', 'SUCCEEDED']);
  });

  it('takes the statuses of the list', () => {
    const search = readDeliveriesSearch({ status: 'succeeded,delivering' });
    expect(redeliverInput({ search, chosen: none, isEveryStatus: false }).statuses).toEqual(['SUCCEEDED']);
  });

  it('takes chosen deliveries whatever the filter says', () => {
    const chosen = new Set(['d-1', 'd-2']);
    const input = redeliverInput({ search: { kind: 'custom' }, chosen, isEveryStatus: false });
    expect(input.deliveryIds).toEqual(['d-1', 'd-2']);
    expect(input.eventKind).toBeUndefined();
  });
});
