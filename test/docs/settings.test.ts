import { describe, expect, it } from 'vitest';
import { environment } from '../../src/settings.ts';
import { pages } from './pages.ts';

const operating = pages.find(({ path }) => path === 'docs/operating.md')?.text ?? '';
const defaults: Record<string, unknown> = environment.parse({});

/** Each row of the tables of settings: its names, and the values that it states first. */
const rows = operating
  .split('\n')
  .filter((line) => /^\| `[A-Z]+(_|`)/.test(line))
  .map((line) => {
    const [, first = '', second = ''] = line.split(/\s?\|\s?/);
    return { names: spansOf(first), stated: spansOf(second) };
  });

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

/** What the table leaves out: the default is nothing, or is told in words. */
const isUntold = (name: string): boolean =>
  ['ROLES', 'RUNNER_PROBE_MS'].includes(name) || [undefined, '', '{}'].includes(textOf(defaults[name]));

function textOf(value: unknown): string | undefined {
  if (value === undefined || Array.isArray(value)) return value?.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

describe('the reference of settings', () => {
  it('has each setting in one row', () => {
    expect(rows.flatMap((row) => row.names).sort()).toEqual(Object.keys(environment.shape).sort());
  });

  it('states the default of each setting', () => {
    for (const { names, stated } of rows)
      for (const [at, name] of names.entries())
        if (!isUntold(name)) expect(stated[at], name).toBe(textOf(defaults[name]));
  });

  const numbers: Record<string, number> = { a: 1, one: 1, two: 2, five: 5, ten: 10, fifteen: 15 };
  const units: Record<string, number> = {
    ms: 1,
    s: 1000,
    second: 1000,
    minute: 60_000,
    hour: 3_600_000,
    day: 86_400_000,
    KiB: 1024,
    MiB: 1024 ** 2,
  };

  it('agrees with every page that states a default beside the name of its setting', () => {
    const stated = pages.flatMap(({ path, prose }) =>
      [...prose.matchAll(/([\d,.]+|\b[a-z]+) (ms|s|second|minute|hour|day|KiB|MiB)s? (?:\(|of )`([A-Z][A-Z_]+)`/g)].map(
        ([, amount = '', unit = '', name = '']) => ({
          path,
          name,
          value: (numbers[amount] ?? Number(amount.replaceAll(',', ''))) * (units[unit] ?? Number.NaN),
        }),
      ),
    );
    expect(stated.length).toBeGreaterThan(3);
    for (const { path, name, value } of stated) expect(value, `${path}: ${name}`).toBe(defaults[name]);
  });
});
