import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createEngine } from '../../src/engine/assembly/index.ts';
import { openDatabase } from '../../src/engine/db/pool/index.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { ask, useSite } from '../workers/inference/site.ts';

const site = useSite();
const awayMs = 20_000;

test('fifty answers that arrive while PostgreSQL is away are recorded when it is back', async () => {
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  site.fake.always(async () => {
    await held;
    return { text: 'Hello.' };
  });
  let isAway = false;
  const proxy = await TcpProxy.open(site.test.url, ({ client, backend }) => {
    if (isAway) client.destroy();
    else client.pipe(backend).pipe(client);
  });
  const db = await openDatabase({ url: proxy.url });
  const { settings } = site.test.engine;
  const engine = createEngine({ db, log: pino({ level: 'silent' }), settings });
  const runId = await site.asks(...Array.from({ length: 50 }, (_, n) => ask({ prompt: `Say ${n}.` })));
  const caller = site.caller({ pollMs: 500 }, engine);
  try {
    caller.start();
    await vi.waitFor(() => expect(site.fake.ledger).toHaveLength(50), { timeout: 20_000 });
    isAway = true;
    for (const { client } of proxy.pairs) client.destroy();
    answer();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    expect(await site.calls()).toHaveLength(50);
    isAway = false;
    await vi.waitFor(async () => expect(await site.calls()).toEqual([]), { timeout: 30_000 });
    for (const step of await site.steps(runId)) expect(step).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(site.fake.ledger).toHaveLength(50);
    const sends = await site.sends(runId);
    expect(sends.map(({ outcome }) => outcome)).toEqual(Array(50).fill('answered'));
  } finally {
    await caller.stop();
    await db.close();
    await proxy.close();
  }
}, 120_000);
