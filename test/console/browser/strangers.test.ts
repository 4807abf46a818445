import { describe, expect, it, vi } from 'vitest';
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
    const failing = await app.workflows.trigger({ app: '__proto__', name: 'fails' }, { input: {} });
    runs.push(failing.runId ?? '');
    const endpoint =
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    await site.operate(endpoint, {
      input: { name: names[0], eventKinds: ['RUN_FAILED'], url: `${site.service.baseUrl}/?q=%3Cscript%3E${attack}` },
    });
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
