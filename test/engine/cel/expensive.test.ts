import { describe, expect, it } from 'vitest';
import { compileGuard } from '../../../src/engine/cel/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';

const { limits } = defaultEngineSettings;

const list = Array.from({ length: 100_000 }, (_, index) => index);
const mebibyte = 'a'.repeat(1 << 20);
const data = {
  list,
  objects: list.map((id) => ({ id })),
  text: mebibyte,
  texts: Array(1000).fill(mebibyte.slice(0, 1000)),
  map: Object.fromEntries(list.map((id) => [`k${id}`, id])),
  small: [1, 2, 3],
  pattern: '\\pL'.repeat(200),
};

/** Evaluates, and counts the reports of excessive cost. */
function evaluate(source: string): { holds: boolean; reports: string[] } {
  const reports: string[] = [];
  const event = { id: 'i', name: 'n', ts: 't', tags: undefined, session: undefined, data };
  const holds = compileGuard(source, limits).evaluate(event, (reason) => reports.push(reason));
  return { holds, reports };
}

describe('an expensive guard', () => {
  it.each([
    'data.list.exists(x, data.list.exists(y, x == -1))',
    'data.list.all(x, data.list.map(y, y + x).size() > 0)',
    '!data.list.exists(x, data.list.exists(y, x + y == -1))',
    'data.list.exists(x, x == -1) || data.list.exists(x, x == -1) || true',
    'data.objects.exists(x, x.id == -1) || true',
    'data.map.all(k, data.map.all(l, k != "" && l != "")) || true',
    'data.texts.exists(t, data.texts.exists(u, t.contains(u + "b"))) || true',
    'data.text.matches("^(a+)+b$") || true',
    'data.texts.all(t, !t.matches("(x+x+)+y")) || true',
    'data.text.split("").exists(c, c == "b") || true',
    'event.data.list == data.list || true',
    'cel.bind(a, data.text + data.text, cel.bind(b, a + a, cel.bind(c, b + b, cel.bind(d, c + c, cel.bind(e, d + d, size(e + e) > 0))))) || true',
    'cel.bind(a, data.list + data.list, cel.bind(b, a + a, size(b + b) > 0)) || true',
    '[data.text, data.text, data.text].all(x, [1, 2, 3].all(y, size(x + x + x + x) > y)) || true',
    'data.texts.all(t, size(data.texts.join("")) > 0) || true',
    `data.text.contains("${'a'.repeat(500)}b${'a'.repeat(500)}") || true`,
    `data.text.lastIndexOf("${'a'.repeat(1000)}b") > 0 || true`,
    'data.text.indexOf(data.texts[0] + "b") > 0 || true',
    'data.small.all(x, data.texts.all(t, t.matches("a" + string(x) + t))) || true',
    'data.small.all(x, data.text.matches(string(x) + data.pattern)) || true',
    'data.texts.exists(t, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Paris") == 30) || true',
  ])('is false whatever it says, and reported once: %s', (source) => {
    expect(evaluate(source)).toEqual({ holds: false, reports: ['costs more than 5 ms'] });
  });

  it.each([
    'data.small.exists(x, x == 3)',
    'data.list[99999] == 99999',
    'data.objects[99].id == 99 || true',
    'data.text.contains("b") == false && data.text.startsWith("aaa")',
    'data.texts.all(t, t.startsWith("aa") && !t.contains("b"))',
    'data.map.k77777 == 77777',
    'size(data.list) == 100000 && 5 in data.list',
    'data.texts[0].matches("^a+$")',
  ])('is not what a plain question about a large payload is: %s', (source) => {
    const { holds, reports } = evaluate(source);
    expect(reports).toEqual(source.includes('objects') ? ['costs more than 5 ms'] : []);
    expect(holds).toBe(!source.includes('objects'));
  });

  it('is decided by its cost and not by the clock', () => {
    const source = 'data.list.exists(x, x == 7)';
    const first = evaluate(source);
    for (let round = 0; round < 20; round++) expect(evaluate(source)).toEqual(first);
  });
});
