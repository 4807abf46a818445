import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/index.ts';
import { Metrics } from '../../../src/rest/health/metrics.ts';
import type { Turn } from '../../support/models/turn.ts';
import { type Ask, useSite } from './site.ts';

const site = useSite({ inference: { idleMs: 200, drainMs: 100 } });

let word = '';
beforeEach(() => {
  word = `quoll${randomBytes(8).toString('hex')}`;
});

/** A request with the word in every place that goes to the provider. */
const secretAsk = (fields: Ask = {}): Ask => ({
  model: 'some-model',
  system: `You know ${word}.`,
  messages: [
    { role: 'user', content: [{ type: 'text', text: `Tell me all about ${word}, please, and about ${word} again.` }] },
    { role: 'assistant', content: `${word}?` },
    { role: 'user', content: 'Yes.' },
  ],
  stop: [word],
  options: { metadata: { user_id: word } },
  ...fields,
});

/** A caller whose log at `trace` is kept. */
function loggedCaller() {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const engine = createEngine({ db: site.test.db, log, settings: site.test.engine.settings });
  const metrics = new Metrics({ engine, openStreams: () => 0 });
  return { caller: site.caller({}, engine), lines, metrics: () => metrics.text(undefined) };
}

/** Files of the database server that hold the word, its log of writes included. */
async function filesWith(text: string): Promise<string> {
  await site.test.db.query('checkpoint');
  const { rows } = await site.test.db.query<{ data_directory: string }>('show data_directory');
  const directory = rows[0]?.data_directory ?? '';
  const found = promisify(execFile)('grep', ['-rlaF', text, directory]);
  return (await found.catch(({ stdout }: { stdout: string }) => ({ stdout }))).stdout;
}

/** Tables with a row that holds the word, also where a file would hold it compressed. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows: tables } = await site.test.db.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const { rows } = await site.test.db.query(`select from "${name}" t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}

async function expectNowhere({ lines, metrics }: Omit<ReturnType<typeof loggedCaller>, 'caller'>) {
  expect(lines.filter((line) => line.includes(word))).toEqual([]);
  expect(await metrics()).not.toContain(word);
  expect(await tablesWith(word)).toEqual([]);
  expect(await filesWith(word)).toBe('');
}

describe('a word of a prompt', () => {
  test('can be found, where something holds it', async () => {
    await site.asks({ model: 'some-model', prompt: word });
    expect(await tablesWith(word)).toContain('run');
    expect(await filesWith(word)).not.toBe('');
  });

  const echoes = { 'x-echo': 'WORD', 'request-id': 'WORD', 'x-should-retry': 'false' };
  const cases: [string, Turn, Ask][] = [
    ['is answered', { text: 'Hello.' }, {}],
    ['is asked again because of a schema', { text: 'no JSON' }, { schema: { description: 'WORD', type: 'object' } }],
    ['names a pattern', { text: '{"a":"b"}' }, { schema: { properties: { a: { pattern: 'WORD' } } }, reasks: 0 }],
    ['is echoed in an error', { refusal: { status: 400, message: 'bad: WORD', echo: true }, headers: echoes }, {}],
    ['is echoed by a busy provider', { refusal: { status: 529, message: 'WORD', echo: true }, headers: echoes }, {}],
    ['is echoed in a stream', { fault: { errorMidway: { type: 'api_error', message: 'WORD'.repeat(3) } } }, {}],
    ['hangs', { text: ['a', 'b'], fault: 'hang midway' }, {}],
    ['is cut off', { text: ['a', 'b'], fault: 'cut midway' }, {}],
    ['meets no JSON', { plain: true, fault: 'truncated JSON' }, {}],
    ['is kept by the cache', { text: 'Hello.' }, { temperature: 0 }],
  ];
  test.each(cases)('stands nowhere while its call waits and after it %s', async (_, turn, fields) => {
    const filled = (value: object): object => JSON.parse(JSON.stringify(value).replaceAll('WORD', word));
    site.fake.answers(filled(turn) as Turn);
    const { caller, ...seen } = loggedCaller();
    const runId = await site.asksUnseen(secretAsk(filled(fields) as Ask));
    await expectNowhere(seen);
    await caller.runOnce();
    await caller.runOnce();
    expect(JSON.stringify(site.fake.ledger[0]?.body)).toContain(word);
    await site.steps(runId);
    await expectNowhere(seen);
  });

  test('of a malformed request, or of texts for vectors, stands nowhere', async () => {
    const { caller, ...seen } = loggedCaller();
    const malformed = { model: 'some-model', prompt: word, temperature: word };
    await site.asksUnseen(malformed);
    await site.asksUnseen({ kind: 'embed', model: 'some-model', values: [word, `${word} again`] });
    await caller.runOnce();
    expect(site.fake.ledger).toHaveLength(1);
    await expectNowhere(seen);
  });
});
