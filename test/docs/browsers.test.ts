import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventSource } from 'eventsource';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { apiRules } from '../../src/http/index.ts';
import { projectRoot } from '../support/build.ts';
import { useServiceInProcess } from '../support/inProcess.ts';

// Executes the code of docs/guides/browsers.md with an `EventSource` of its own.

interface Frame {
  kind: string;
  [member: string]: unknown;
}

type Follow = (
  address: string,
  kinds: readonly string[],
  how: { getTicket: (path: string) => Promise<{ ticket: string }>; onEvent: (kind: string, data: Frame) => void },
) => () => void;

const service = useServiceInProcess({ ALLOW_PRIVATE_TARGETS: 'true' });
const sources: EventSource[] = [];
let guide: string;
let createTicket: (path: string) => Promise<{ ticket: string; expiresAt: string }>;
let follow: Follow;
const ends: (() => void)[] = [];

beforeAll(async () => {
  guide = await readFile(join(projectRoot, 'docs/guides/browsers.md'), 'utf8');
  const blocks = [...guide.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
  const exported = blocks.filter((code) => code.includes('export '));
  expect(exported).toHaveLength(2);
  const directory = await mkdtemp(join(tmpdir(), 'holdfast guide '));
  const module = join(directory, 'guide.mjs');
  const given = '({ EventSource, process, URL, fetch, setTimeout, clearTimeout })';
  const body = exported.join('').replaceAll('export ', '');
  await writeFile(module, `export default ${given} => {\n${body}\nreturn { createTicket, follow };\n}`);
  class Source extends EventSource {
    constructor(url: URL) {
      super(url);
      sources.push(this);
    }
  }
  const process = { env: { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.keys.secretKey } };
  // The guide waits a second or more before it connects again.
  const soon = (then: () => void): NodeJS.Timeout => setTimeout(then, 10);
  const { default: run } = await import(pathToFileURL(module).href);
  ({ createTicket, follow } = run({ EventSource: Source, process, URL, fetch, setTimeout: soon, clearTimeout }));
  await rm(directory, { recursive: true });
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  sources.length = 0;
});

const post = async (path: string, body: object): Promise<{ eventId: string; runId: string }> => {
  const headers = { authorization: `Bearer ${service.keys.secretKey}` };
  const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return answer.json();
};

/** Follows a stream as the guide does, and returns its events as they come. */
function startToFollow(path: string, kinds: readonly string[]): { tickets: string[]; next(): Promise<Frame> } {
  const tickets: string[] = [];
  const arrived: Frame[] = [];
  let wake = (): void => {};
  ends.push(
    follow(service.url + path, kinds, {
      async getTicket(asked) {
        const { ticket } = await createTicket(asked);
        tickets.push(ticket);
        return { ticket };
      },
      onEvent(_kind, data) {
        arrived.push(data);
        wake();
      },
    }),
  );
  return {
    tickets,
    async next() {
      for (;;) {
        const first = arrived.shift();
        if (first) return first;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Cuts the connection of a source, as a network does. */
function lose(source: EventSource | undefined): void {
  source?.close();
  source?.onerror?.(Object.assign(new Event('error'), { code: undefined, message: undefined }));
}

test('the page of the guide follows a run to its end, over several connections, and misses no frame', async () => {
  await post('/register', { app: 'shop', url: 'http://127.0.0.1:9/', workflows: [{ name: 'ship' }] });
  const { runId } = await post('/workflows/shop/ship/trigger', { input: {} });
  const page = startToFollow(`/runs/${runId}/stream`, ['run_status', 'step_status', 'log']);
  expect(await page.next()).toMatchObject({ kind: 'run_status', seq: 1, status: 'queued' });
  lose(sources[0]);
  await post(`/runs/${runId}/cancel`, {});
  let seq = 1;
  for (let status: unknown; status !== 'cancelled'; seq += 1) {
    const frame = await page.next();
    expect(frame['seq']).toBe(seq + 1);
    ({ status } = frame);
  }
  expect(new Set(page.tickets).size).toBeGreaterThanOrEqual(2);
});

test('the page of the guide misses no event while it was not connected', async () => {
  const page = startToFollow('/events/stream', ['event']);
  await expect.poll(() => sources[0]?.readyState, { timeout: 30_000 }).toBe(EventSource.OPEN);
  await post('/events', { name: 'first' });
  expect(await page.next()).toMatchObject({ name: 'first' });
  lose(sources[0]);
  await post('/events', { name: 'second' });
  expect(await page.next()).toMatchObject({ name: 'second' });
});

test('an EventSource that reconnects by itself with a used ticket is refused, and gives up', async () => {
  const { ticket } = await createTicket('/runs/stream');
  const url = `${service.url}/runs/stream?ticket=${ticket}`;
  const first = new EventSource(url);
  await new Promise((resolve) => first.addEventListener('open', resolve));
  const again = new EventSource(url);
  const error = await new Promise<{ code?: number | undefined }>((resolve) => again.addEventListener('error', resolve));
  expect([error.code, again.readyState]).toEqual([401, EventSource.CLOSED]);
  first.close();
});

test('no ticket is in the log, which has a line for each request', () => {
  expect(service.log).toContain('"route":"/stream-tickets"');
  expect(service.log).toContain('"route":"/runs/stream"');
  expect(service.log).not.toContain('hf_st_');
});

test('the guide names the headers that pages may send and read', () => {
  for (const name of [...apiRules.requestHeaders.split(', '), ...apiRules.exposedHeaders.split(', ')])
    expect(guide).toContain(`\`${name}\``);
});
