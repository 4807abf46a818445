import { describe, expect, it } from 'vitest';
import { filterChips, readRunsSearch, runsVariables } from '../pages/runs/runsSearch.ts';
import { instantOf } from './searchFields.ts';
import { parseSearch, stringifySearch } from './searchText.ts';

describe('search parameters', () => {
  it('read flat, and write back to the same text', () => {
    const text = '?status=failed,waiting&since=24h&deep=1&tag.tenant=acme&tag.plan=pro';
    const search = readRunsSearch(parseSearch(text));
    expect(search).toEqual({
      status: ['failed', 'waiting'],
      since: '24h',
      deep: true,
      tags: { tenant: 'acme', plan: 'pro' },
    });
    expect(parseSearch(stringifySearch(search))).toEqual(parseSearch(text));
  });

  it('stay readable: commas, colons and slashes are not escaped', () => {
    expect(stringifySearch({ since: '2026-11-27T12:00:00Z', app: 'a/b' })).toBe('?since=2026-11-27T12:00:00Z&app=a/b');
  });

  it('of any characters come back as they were', () => {
    for (const q of ['a&b=c', '100%', 'über#x', '‮evil', 'a+b c']) {
      expect(parseSearch(stringifySearch({ q }))).toEqual({ q });
    }
  });

  it('that are unknown or wrong count as absent', () => {
    const raw = parseSearch('?status=gone,failed&sort=colour&since=yesterday&deep=yes&other=1&__proto__=x');
    expect(readRunsSearch(raw)).toEqual({ status: ['failed'] });
  });

  it('leave out what is empty', () => {
    expect(stringifySearch({ q: '', status: [], deep: undefined, roots: false, tags: undefined })).toBe('');
  });

  it('become instants in whole minutes, so that a question stays the same', () => {
    const now = Date.parse('2026-11-27T12:00:42Z');
    expect(instantOf('1h', now)).toBe('2026-11-27T11:00:00.000Z');
    expect(instantOf('7d', now)).toBe('2026-11-20T12:00:00.000Z');
    expect(instantOf('2026-11-27T12:00:00Z', now)).toBe('2026-11-27T12:00:00.000Z');
    expect(instantOf(undefined, now)).toBeUndefined();
  });
});

describe('the filter of the list', () => {
  it('has only what the URL names', () => {
    expect(runsVariables({}).filter).toEqual({});
    expect(runsVariables({ status: ['needs_attention'], sort: 'duration', dir: 'asc', tags: { k: 'v' } })).toEqual({
      filter: { statuses: ['NEEDS_ATTENTION'], tags: [{ key: 'k', value: 'v' }] },
      sort: 'DURATION',
      dir: 'ASC',
    });
  });

  it('searches payloads only together with a text', () => {
    expect(runsVariables({ deep: true }).filter).toEqual({});
    expect(runsVariables({ q: 'x', deep: true }).filter).toEqual({ q: 'x', deep: true });
  });

  it('shows as chips, each of which can be dropped', () => {
    const search = { status: ['failed' as const], workflow: 'invoice', tags: { k: 'v', l: 'w' }, sort: 'app' as const };
    const chips = filterChips(search);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'status failed',
      'workflow invoice',
      'k v',
      'l w',
    ]);
    expect(stringifySearch(chips[2]?.without ?? {})).toBe('?status=failed&workflow=invoice&tag.l=w&sort=app');
  });
});
