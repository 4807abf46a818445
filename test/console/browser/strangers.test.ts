import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ConsoleSite } from '../kit/consoleSite.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// Texts of strangers in all fields that they control do nothing, and deceive nobody.

const attack = 'globalThis.isTaken=true';

/** Names may hold all of these. */
const names = [
  `<script>${attack}</script>`,
  `<img src=x onerror="${attack}">`,
  `<svg onload="${attack}">`,
  `javascript:${attack}`,
  `{{constructor.constructor('${attack}')()}} \${${attack}}`,
  '__proto__',
  'constructor',
  'a\u202Egnp.exe',
  'zero\u200Bwidth\uFEFF',
];

/** Errors, logs and results may hold these, too. */
const texts = [...names, '\u001b[31mred\u001b[0m', 'nul\u0000byte', 'half \ud800 pair'];

/** Characters that must not reach a name as they are. */
const hidden = '/[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f\\u200b\\u202a-\\u202e\\u2066-\\u2069\\ufeff]/';

describe.skipIf(withoutBrowser)('texts of strangers', { timeout: 240_000 }, () => {
  const runs: string[] = [];
  let approvals = '';
  /** Pages of webhooks, of a model's answer, and of the session that asked for it. */
  const others: string[] = [];
  let receiver: Server | undefined;
  afterAll(() => void receiver?.close());
  const test = useConsole(async (site) => {
    const app = site.client(names[5] ?? '');
    for (const name of names) {
      app.workflow({ id: name, triggers: [{ event: name }], retry: { maxAttempts: 1 } }, async ({ step, log }) => {
        for (const text of texts) log.warn(text, { [text]: text });
        await step.run(name, () => ({ [name]: name, texts }));
        await step.approval(name, {
          tool: name,
          args: { [name]: texts[0] },
          summary: name,
          context: name,
          policy: name,
        });
      });
    }
    app.workflow({ id: 'fails', retry: { maxAttempts: 1 } }, ({ step }) =>
      step.run('fail', () => {
        throw Object.assign(new Error(texts.join(' ')), { name: names[0] });
      }),
    );
    await site.connect(app, names[1] ?? '');
    for (const name of names) {
      const options = { input: { [name]: names }, tags: { constructor: name } };
      const started = await app.workflows.trigger({ app: '__proto__', name }, options);
      runs.push(started.runId ?? '');
    }
    const endpoint =
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    await site.operate(endpoint, {
      input: { name: names[0], eventKinds: ['RUN_FAILED'], url: `${site.service.baseUrl}/?q=%3Cscript%3E${attack}` },
    });
    receiver = await receiverOfStrangers();
    const { port } = receiver.address() as AddressInfo;
    await site.operate(endpoint, {
      input: { name: names[7], eventKinds: ['RUN_FAILED'], url: `http://127.0.0.1:${port}/` },
    });
    const failing = await app.workflows.trigger({ app: '__proto__', name: 'fails' }, { input: {} });
    runs.push(failing.runId ?? '');
    others.push(...(await answered(site)), ...(await received(site)), ...(await asked(site)));
    type Open = { approvals: { nodes: { id: string }[] } };
    await vi.waitFor(
      async () => {
        const { approvals: open } = await site.operate<Open>('{ approvals { nodes { id } } }');
        expect(open.nodes).toHaveLength(names.length);
        approvals = open.nodes[0]?.id ?? '';
      },
      { timeout: 60_000, interval: 200 },
    );
  });

  /** The texts on a page that must not be there. */
  const faults = `(() => {
    const places = [...document.querySelectorAll('body *')].filter((e) => !e.closest('textarea, input'));
    const own = (e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('');
    return [
      ...(globalThis.isTaken ? ['a text was run'] : []),
      ...(Object.prototype.isTaken ? ['a prototype was changed'] : []),
      ...[...document.querySelectorAll('main script, main iframe, main svg[onload], main [onerror]')].map((e) => 'markup: ' + e.outerHTML),
      ...[...document.querySelectorAll('a[href]')].filter((e) => !/^https?:$/.test(e.protocol)).map((e) => 'a link to ' + e.href),
      ...[...document.querySelectorAll('a[href]')].filter((e) => e.origin !== location.origin && !/noopener.*noreferrer/.test(e.rel)).map((e) => 'an open link to ' + e.href),
      ...places.filter((e) => ${hidden}.test(own(e))).map((e) => 'hidden characters in ' + e.tagName + ': ' + JSON.stringify(own(e).slice(0, 80))),
      ...(${hidden}.test(document.title) ? ['hidden characters in the title'] : []),
    ];
  })()`;

  async function looks(visit: Visit, path: string): Promise<void> {
    await visit.open(path);
    await visit.settled();
    expect({ path, faults: await visit.evaluate(faults) }).toEqual({ path, faults: [] });
  }

  it('are inert on every page, and show what is hidden in them', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      await visit.openSignedIn();
      const workflow = (name: string): string => `/workflows/__proto__/${encodeURIComponent(name)}`;
      for (const path of [
        ...['/', '/runs', '/approvals', `/approvals/${approvals}`, '/events', '/workflows', '/flow', '/runners'],
        ...['/webhooks/endpoints', '/sessions', '/ai', '/audit', workflow(names[0] ?? ''), workflow('a\u202Egnp.exe')],
      ])
        await looks(visit, `/p/default${path}`);
    }));

  it('are inert in headers and bodies of webhooks, and in what a model answers', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      await visit.openSignedIn();
      expect(others.filter((path) => /deliveries\/|inbound\/|sources\/|runs\/|sessions\//.test(path))).toHaveLength(5);
      for (const path of others) {
        await visit.open(`/p/default${path}`);
        await visit.settled();
        const body = visit.page.getByRole('button', { name: 'Show the body' });
        if (await body.isVisible()) await body.click();
        await visit.settled();
        if (path.includes('/deliveries/')) await visit.page.getByText('x-stranger-0').first().waitFor();
        if (path.includes('/inbound/')) await visit.page.getByText('x-stranger').first().waitFor();
        expect({ path, faults: await visit.evaluate(faults) }).toEqual({ path, faults: [] });
      }
    }));

  it('are inert on each part of a run', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      await visit.openSignedIn();
      for (const tab of ['timeline', 'logs', 'payloads', 'relations', 'history'])
        await looks(visit, `/p/default/runs/${runs[0]}?tab=${tab}`);
      for (const run of runs) await looks(visit, `/p/default/runs/${run}?step=0.1`);
    }));

  it('of an address are inert, too', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      await visit.openSignedIn();
      for (const name of names) {
        const text = encodeURIComponent(name);
        await looks(visit, `/p/default/runs?workflow=${text}&q=${text}&tag.${text}=${text}`);
      }
      await looks(visit, `/p/default/runs/${encodeURIComponent(names[1] ?? '')}`);
      await looks(visit, `/p/${encodeURIComponent(names[0] ?? '')}/runs`);
    }));
});

/** Answers each request with texts of strangers in its headers and its body. */
async function receiverOfStrangers(): Promise<Server> {
  const headers = names.map((name, n) => `x-stranger-${n}: ${name}`);
  const body = texts.join('\n');
  const answer = [
    'HTTP/1.1 503 <script>',
    ...headers,
    `set-cookie: a=<img src=x onerror="${attack}">`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

/** The delivery that such a receiver has answered. */
async function answered(site: ConsoleSite): Promise<string[]> {
  type Found = { webhookDeliveries: { nodes: { id: string; url: string; endpointId: string }[] } };
  const find = async (): Promise<{ id: string; endpointId: string }> => {
    const { webhookDeliveries } = await site.operate<Found>(
      '{ webhookDeliveries(status: FAILED) { nodes { id url endpointId } } }',
    );
    const found = webhookDeliveries.nodes.find(({ url }) => !url.startsWith(site.service.baseUrl));
    if (!found) throw new Error('nothing was answered yet');
    return found;
  };
  const { id, endpointId } = await vi.waitFor(find, { timeout: 60_000, interval: 200 });
  return ['/webhooks/deliveries', `/webhooks/deliveries/${id}`, `/webhooks/endpoints/${endpointId}`];
}

/** A message whose body and headers are of a stranger, who knows the secret. */
async function received(site: ConsoleSite): Promise<string[]> {
  const create = `mutation ($input: CreateWebhookSourceInput!) { createWebhookSource(input: $input) {
    secret webhookSource { id token } } }`;
  type Made = { createWebhookSource: { secret: string; webhookSource: { id: string; token: string } } };
  const input = { name: names[1], eventName: `received ${names[0]}`, scheme: 'GITHUB', exposeHeaders: ['x-stranger'] };
  const { secret, webhookSource } = (await site.operate<Made>(create, { input })).createWebhookSource;
  // The service refuses messages with U+0000 or half of a pair.
  const body = JSON.stringify({ id: names[0], ['__proto__']: names, texts: texts.slice(0, -2) });
  const response = await fetch(`${site.service.baseUrl}/webhooks/${webhookSource.token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': names[1] ?? '',
      'x-stranger': names[2] ?? '',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  });
  expect([response.status, await response.text()]).toEqual([202, expect.any(String)]);
  const list = '{ webhookSourceDeliveries(first: 1) { nodes { id eventId } } }';
  type Found = { webhookSourceDeliveries: { nodes: { id: string; eventId: string }[] } };
  const [message] = (await site.operate<Found>(list)).webhookSourceDeliveries.nodes;
  return [
    ...['/webhooks/sources', `/webhooks/sources/${webhookSource.id}`, '/webhooks/inbound'],
    ...[`/webhooks/inbound/${message?.id}`, `/events/${message?.eventId}`],
  ];
}

/** A run of a session whose model answers with texts of strangers. */
async function asked(site: ConsoleSite): Promise<string[]> {
  const desk = site.client('desk');
  const session = names[1] ?? '';
  desk.workflow({ id: 'ask', triggers: [{ event: 'ask' }] }, ({ step }) =>
    step.ai.wrap(names[2] ?? '', ({ report }) => {
      report({ model: names[0] ?? '', tokensIn: 1, tokensOut: 1 });
      return { role: 'assistant', content: texts.join('\n'), [names[1] ?? '']: names[0] };
    }),
  );
  await site.connect(desk, 'desk-1');
  await desk.events.send({ name: 'ask', data: {}, session });
  type Found = { runs: { nodes: { id: string; status: string }[] } };
  const ended = async (): Promise<string> => {
    const { runs } = await site.operate<Found>('{ runs(filter: { workflow: "ask" }) { nodes { id status } } }');
    expect(runs.nodes[0]?.status).toBe('SUCCEEDED');
    return runs.nodes[0]?.id ?? '';
  };
  const id = await vi.waitFor(ended, { timeout: 60_000, interval: 200 });
  return ['/ai', '/sessions', `/sessions/${encodeURIComponent(session)}`, `/runs/${id}?step=0.1`];
}
