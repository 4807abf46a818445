import { describe, expect, it } from 'vitest';
import { setFilters, withoutFilters } from './setFilters.ts';

interface Search extends Record<string, unknown> {
  status?: string[] | undefined;
  app?: string | undefined;
  test?: true | undefined;
  sort?: string | undefined;
}

const labels = { status: 'status', app: 'app', test: 'tests' };

describe('filters of a URL', () => {
  it('are chips by their labels, several values of one filter apart', () => {
    const search: Search = { status: ['too_large', 'invalid'], app: 'shop', test: true, sort: 'rate' };
    const set = setFilters<Search>(search, labels, () => {});
    expect(set.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'status: too large',
      'status: invalid',
      'app: shop',
      'tests: yes',
    ]);
  });

  it('are dropped one by one, and the rest of the URL stays', () => {
    const changes: Search[] = [];
    const search: Search = { status: ['dead', 'failed'], app: 'shop', sort: 'rate' };
    for (const { drop } of setFilters<Search>(search, labels, (next) => changes.push(next))) drop();
    expect(changes).toEqual([
      { status: ['failed'], app: 'shop', sort: 'rate' },
      { status: ['dead'], app: 'shop', sort: 'rate' },
      { status: ['dead', 'failed'], app: undefined, sort: 'rate' },
    ]);
    const [only] = setFilters<Search>({ status: ['dead'] }, labels, (next) => changes.push(next));
    only?.drop();
    expect(changes.at(-1)).toEqual({ status: undefined });
  });

  it('are cleared together; what is no filter stays', () => {
    expect(withoutFilters<Search>({ app: 'shop', status: ['dead'], sort: 'rate' }, labels)).toEqual({ sort: 'rate' });
  });
});
