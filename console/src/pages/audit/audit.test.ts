import { describe, expect, it } from 'vitest';
import { auditVariables, readAuditSearch } from './auditSearch.ts';
import { partsOf, surfaceOf } from './auditWords.ts';

const words = (entry: Partial<Parameters<typeof partsOf>[0]>): string[] =>
  partsOf({ id: 'c-1', action: 'CANCEL', ...entry }).map(({ text, to }) => (to ? `${text} → ${to.join('/')}` : text));

describe('the filters of the audit log', () => {
  it('come from the URL', () => {
    const search = readAuditSearch({ action: 'bulk_replay', actor: 'ada, console', run: 'r-1', since: '24h', x: '1' });
    expect(auditVariables(search, Date.parse('2026-11-27T12:00:00Z'))).toMatchObject({
      action: 'BULK_REPLAY',
      actor: 'ada, console',
      runId: 'r-1',
      since: '2026-11-26T12:00:00.000Z',
    });
  });

  it('leave out an action that no entry has', () => {
    expect(readAuditSearch({ action: 'burn' })).toEqual({});
  });
});

describe('an entry of the audit log', () => {
  it('links the run, and the run that the call made', () => {
    expect(
      words({ action: 'RETRY_FROM_STEP', runId: '11-aaaaaa', newRunId: '22-bbbbbb', detail: { step: 'pack' } }),
    ).toEqual(['Run …aaaaaa → runs/11-aaaaaa', 'step “pack”', 'New run …bbbbbb → runs/22-bbbbbb']);
  });

  it('links the runs of a bulk call with its counts', () => {
    const [part] = partsOf({ id: 'c-9', action: 'BULK_REPLAY', detail: { replayed: 12, matched: 40 } });
    expect(part).toEqual({ text: 'replayed 12 of 40', to: ['runs'], search: { bulk: 'c-9' } });
    const [redelivered] = partsOf({ id: 'c-9', action: 'BULK_REDELIVER', detail: { redelivered: 3, matched: 3 } });
    expect(redelivered).toEqual({ text: 'redelivered 3 of 3' });
  });

  it('names webhooks and changed fields', () => {
    expect(words({ detail: { endpointId: 'e-123456', name: 'billing', fields: ['url', 'enabled'] } })).toEqual([
      '“billing”',
      'Endpoint …123456 → webhooks/endpoints/e-123456',
      'changed url, enabled',
    ]);
    expect(words({ detail: { deliveryId: 'd-123456', sourceId: 's-123456' } })).toEqual([
      'Source …123456 → webhooks/sources/s-123456',
      'Message …123456 → webhooks/inbound/d-123456',
    ]);
  });

  it('tells the surface of an agent, and bears any detail', () => {
    expect(surfaceOf({ via: 'mcp' })).toBe('Mcp');
    expect(words({ detail: null })).toEqual([]);
    expect(words({ detail: [1, 'x'] })).toEqual([]);
  });
});
