import { describe, expect, it } from 'vitest';
import { Holdfast, serve } from '../../../sdk/src/index.ts';
import { bodyLimitBytes } from '../../../sdk/src/protocol.ts';
import { toNodeHandler } from '../../../sdk/src/serve/node.ts';
import { client, invokeBody, listening, post, secret, signed } from './site.ts';

describe('a signed invoke', () => {
  it('is run and answered with the opcodes of its pass', async () => {
    const response = await serve(client())(post(invokeBody()));
    expect(response.status).toBe(206);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ opcodes: [{ op: 'StepRun', name: 'say', data: 'hello' }], logs: [] });
  });

  it('is refused with 404 for an unknown workflow, with 400 where it is no invoke', async () => {
    const handler = serve(client());
    expect((await handler(post(invokeBody('nobody')))).status).toBe(404);
    for (const body of ['', 'no json', '[]', '{"event":{}}']) expect((await handler(post(body))).status).toBe(400);
  });

  it('may carry a memo of megabytes; the answer stays within 1 MiB', async () => {
    const hf = client();
    hf.workflow({ id: 'echo' }, async ({ event }) => event.data);
    const large = await serve(hf)(post(invokeBody('greet', 'x'.repeat(5_000_000))));
    expect(large.status).toBe(206);
    const answer = await serve(hf)(post(invokeBody('echo', 'x'.repeat(5_000_000))));
    expect(answer.status).toBe(500);
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(bodyLimitBytes);
  });

  it('may carry all that the service sends of saved results, and the rest beside', async () => {
    const body = invokeBody('greet', 'hello', { saved: { data: 'x'.repeat(33_600_000) } });
    expect((await serve(client())(post(body))).status).toBe(206);
  });

  it('over 64 MiB is refused with 413, said or streamed', async () => {
    const handler = serve(client());
    expect((await handler(post('x', { 'content-length': String(70_000_000) }))).status).toBe(413);
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) });
    const init = { method: 'POST', body: endless, duplex: 'half' };
    const streamed = new Request('http://runner/', init);
    expect((await handler(streamed)).status).toBe(413);
  });
});

describe('a limit on requests', () => {
  const body = invokeBody();
  const bytes = Buffer.byteLength(body);

  it('is set once, for the handler and for what serves it', async () => {
    for (const [maxRequestBytes, status] of [
      [bytes, 206],
      [bytes - 1, 413],
    ] as const) {
      const handler = serve(client(), { maxRequestBytes });
      expect((await handler(post(body))).status).toBe(status);
      const url = await listening((request, response) => void toNodeHandler(handler)(request, response));
      const response = await fetch(url, signed(body));
      expect(response.status).toBe(status);
      if (status === 413) expect(await response.text()).toContain(`limit of ${maxRequestBytes} bytes`);
    }
  });

  it('is a whole number of bytes', () => {
    for (const wrong of [0, -1, 1.5, Number.NaN])
      expect(() => serve(client(), { maxRequestBytes: wrong })).toThrow('maxRequestBytes');
  });
});

describe('other requests', () => {
  it('GET and HEAD answer probes, without a secret', async () => {
    const handler = serve(client());
    const got = await handler(new Request('http://runner/'));
    expect([got.status, await got.json()]).toMatchObject([200, { ok: true, sdk: '@holdfast/sdk' }]);
    const head = await handler(new Request('http://runner/', { method: 'HEAD' }));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('other methods are answered 405', async () => {
    const response = await serve(client())(new Request('http://runner/', { method: 'PUT' }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
  });

  it('before the secret is known are answered 503, so that the service tries again', async () => {
    expect((await serve(client({}))(post(invokeBody()))).status).toBe(503);
  });
});

it('workflows can be served without a client', async () => {
  const hf = new Holdfast({ apiKey: 'k' });
  const greet = hf.workflow({ id: 'greet' }, async ({ event }) => event.data);
  const response = await serve({ workflows: [greet], invokeSecret: secret })(post(invokeBody()));
  expect([response.status, await response.json()]).toEqual([200, { data: 'hello', logs: [] }]);
});
