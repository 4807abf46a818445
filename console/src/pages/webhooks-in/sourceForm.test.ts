import { describe, expect, it } from 'vitest';
import { outcomeText, replayRefusal } from './inboundWords.ts';
import { createInput, draftOf, newSource, updateInput } from './sourceForm.ts';

const known = draftOf({
  name: 'github',
  eventName: 'github.push',
  scheme: 'GITHUB',
  app: 'default',
  targetApp: null,
  dedupeKey: 'id',
  exposeHeaders: ['x-github-event', 'x-github-delivery'],
  handshake: null,
  enabled: true,
});

describe('the form of a source', () => {
  it('leaves empty fields out of a new one', () => {
    expect(createInput({ ...newSource, eventName: ' order.paid ', exposeHeaders: ' x-kind ,, x-other' })).toEqual({
      eventName: 'order.paid',
      scheme: 'SERVICE',
      enabled: true,
      exposeHeaders: ['x-kind', 'x-other'],
    });
  });

  it('changes only what differs; space between names of headers does not count', () => {
    expect(updateInput('s-1', known, { ...known, exposeHeaders: 'x-github-event,x-github-delivery' })).toEqual({
      id: 's-1',
    });
    expect(updateInput('s-1', known, { ...known, enabled: false })).toEqual({ id: 's-1', enabled: false });
  });

  it('clears emptied fields by null, and a list by an empty one', () => {
    expect(updateInput('s-1', known, { ...known, dedupeKey: '', exposeHeaders: '' })).toEqual({
      id: 's-1',
      dedupeKey: null,
      exposeHeaders: [],
    });
  });
});

describe('a message', () => {
  it('tells why it did not verify before it tells its outcome', () => {
    expect(outcomeText('UNAUTHORIZED', 'MISSING_SIGNATURE')).toBe('It has no header with a signature.');
    expect(outcomeText('UNAUTHORIZED', null)).toBe('Its signature does not verify.');
    expect(outcomeText('POSTPONED' as never, null)).toBe('');
  });

  it('can be replayed if it verified', () => {
    expect(replayRefusal('DEDUPED')).toBeUndefined();
    expect(replayRefusal('INVALID')).toBe('only verified messages can be replayed');
  });
});
