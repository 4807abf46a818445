import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { eventType, HoldfastApiError, type RunFrame, WaitTimeoutError } from '../../../sdk/src/index.ts';
import { clientOf, json, type Respond } from '../support/httpDouble.ts';

const against = (respond: Respond) => clientOf(respond, { app: 'shop' });
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('events and triggers', () => {
  it('an event is posted with the client’s app and key', async () => {
    const { hf, seen } = await against((_seen, response) =>
      json(response, 202, { eventId: 'e', woke: 0, triggered: [] }),
    );
    const paid = eventType<{ n: number }>('order.paid');
    const sent = await hf.events.send({ name: paid, data: { n: 1 }, dedupeId: 'd', tags: { a: 'b' }, session: 's' });
    expect(sent).toEqual({ eventId: 'e', woke: 0, triggered: [] });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/events' });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer hf_sk_x', 'content-type': 'application/json' });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      app: 'shop',
      name: 'order.paid',
      data: { n: 1 },
      dedupeId: 'd',
      tags: { a: 'b' },
      session: 's',
    });
  });

  it('a platform key names the project that it acts for, in calls and in streams', async () => {
    const answer: Respond = (_seen, response) => response.writeHead(204).end();
    const { hf, seen } = await clientOf(answer, { apiKey: 'hf_plat_x', project: 'shop' });
    await hf.runs.get('r1').catch(() => undefined);
    await hf.workflows.trigger({ name: 'x' }).catch(() => undefined);
    await all(hf.runs.stream('r1'));
    expect(seen.map(({ headers }) => headers['x-service-project'])).toEqual(['shop', 'shop', 'shop']);
    const { hf: other, seen: others } = await against((_seen, response) => json(response, 404, { error: 'not found' }));
    await other.runs.get('r1').catch(() => undefined);
    expect(others[0]?.headers).not.toHaveProperty('x-service-project');
  });

  it('a strict client asks the service to refuse what it does not know', async () => {
    const answer: Respond = (_seen, response) => json(response, 400, { error: 'unknown field "x"' });
    const { hf, seen } = await clientOf(answer, { strict: true });
    await expect(hf.events.send(Object({ name: 'n', x: 1 }))).rejects.toThrow('unknown field "x"');
    expect(seen[0]?.headers).toMatchObject({ 'x-strict': '1' });
    const { hf: usual, seen: others } = await clientOf(answer, {});
    await usual.events.send({ name: 'n' }).catch(() => undefined);
    expect(others[0]?.headers).not.toHaveProperty('x-strict');
  });

  it('an event whose app is undefined is one of the client’s app', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 202, { woke: 0, triggered: [] }));
    await hf.events.send({ name: 'x', app: undefined });
    await hf.events.send({ name: 'x', app: 'other' });
    expect(seen.map(({ body }) => JSON.parse(body).app)).toEqual(['shop', 'other']);
  });

  it('a workflow is triggered by its value, or by app and name', async () => {
    const { hf, seen } = await against((_seen, response) =>
      json(response, 202, { app: 'x', workflow: 'y', runId: 'r' }),
    );
    const workflow = hf.workflow({ id: 'a/b c' }, async () => 1);
    await hf.workflows.trigger(workflow, { input: { a: 1 }, dedupeId: 'd', runner: 'r1', eventName: 'label' });
    await hf.workflows.trigger({ name: 'other' });
    await hf.workflows.trigger({ app: 'x', name: 'y' });
    expect(seen.map(({ url }) => url)).toEqual([
      '/workflows/shop/a%2Fb%20c/trigger',
      '/workflows/shop/other/trigger',
      '/workflows/x/y/trigger',
    ]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      input: { a: 1 },
      dedupeId: 'd',
      runner: 'r1',
      eventName: 'label',
    });
  });

  it('a start is delayed by a date or a duration, and expires after a duration', async () => {
    const { hf, seen } = await against((_seen, response) =>
      json(response, 202, { app: 'x', workflow: 'y', runId: 'r', eventId: 'e', woke: 0, triggered: [] }),
    );
    const startAt = new Date('2030-01-01T08:00:00Z');
    await hf.workflows.trigger({ name: 'x' }, { startAt, ttl: '1h' });
    await hf.workflows.trigger({ name: 'x' }, { startAt: '2030-01-01T09:00:00+01:00' });
    await hf.events.send({ name: 'x', delay: '10m', ttl: 5_000 });
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
      { startAt: '2030-01-01T08:00:00.000Z', ttlMs: 3_600_000 },
      { startAt: '2030-01-01T08:00:00.000Z' },
      { app: 'shop', name: 'x', delayMs: 600_000, ttlMs: 5_000 },
    ]);
    const bad = hf.workflows.trigger({ name: 'x' }, { startAt: 'monday' });
    await expect(bad).rejects.toThrow('startAt of workflows.trigger must be a Date, an RFC 3339 text');
  });

  it('a value that JSON cannot carry is refused before a request', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 202, {}));
    await expect(hf.events.send({ name: 'x', data: { h: new Headers() } })).rejects.toThrow(
      'the data of the event cannot be sent: "h" is a Headers',
    );
    await expect(hf.workflows.trigger({ name: 'x' }, { input: new Date(Number.NaN) })).rejects.toThrow(
      'the input of the run cannot be sent: it is an invalid Date',
    );
    await expect(hf.events.send({ name: 'x', data: { n: 1n } })).rejects.toThrow(
      'the data of the event cannot be sent',
    );
    await expect(hf.workflows.trigger({ name: 'x' }, { input: Number.NaN })).rejects.toThrow('cannot be sent');
    expect(seen).toEqual([]);
  });

  it('a refusal is an error with the status and the reason; writes are not repeated', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 502, { error: 'no live runner' }));
    const refused = hf.workflows.trigger({ name: 'x' });
    await expect(refused).rejects.toBeInstanceOf(HoldfastApiError);
    await expect(refused).rejects.toMatchObject({ status: 502, message: 'no live runner' });
    expect(seen).toHaveLength(1);
  });
});

describe('reads', () => {
  it('are repeated where a proxy or the network failed, a few times', async () => {
    let count = 0;
    const { hf } = await against((_seen, response, request) => {
      count += 1;
      if (count === 1) return request.socket.destroy();
      if (count === 2) return json(response, 503, { error: 'starting' });
      json(response, 200, { id: 'r1', status: 'running' });
    });
    expect(await hf.runs.get('r1')).toMatchObject({ id: 'r1' });
    const { hf: down, seen } = await against((_seen, response) => json(response, 503, { error: 'down' }));
    await expect(down.runs.get('r1')).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(4);
  });

  it('are not repeated where the service answered', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 404, { error: 'not found' }));
    await expect(hf.runs.steps('r1')).rejects.toMatchObject({ status: 404, message: 'not found' });
    expect(seen).toHaveLength(1);
  });

  it('lists go over all pages, with every filter', async () => {
    const { hf, seen } = await against(({ url }, response) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      const next = { null: 'c1', c1: 'c2' }[String(cursor)];
      json(response, 200, [{ id: `after ${cursor}` }], next === undefined ? {} : { 'x-next-cursor': next });
    });
    const runs = hf.runs.list({
      app: 'shop',
      status: 'failed',
      statuses: ['failed', 'cancelled'],
      rootOnly: true,
      isReplayed: false,
      bulkId: 'b1',
      version: 'v1',
      tags: { order: '7', 'a.b': 'c' },
      since: new Date(0),
      deep: true,
      q: 'x',
      pageSize: 2,
    });
    expect((await all(runs)).map(({ id }) => id)).toEqual(['after null', 'after c1', 'after c2']);
    expect(Object.fromEntries(new URL(seen[0]?.url ?? '', 'http://x').searchParams)).toEqual({
      app: 'shop',
      status: 'failed',
      statuses: 'failed,cancelled',
      rootOnly: 'true',
      isReplayed: 'false',
      bulkId: 'b1',
      version: 'v1',
      'tag.order': '7',
      'tag.a.b': 'c',
      since: '1970-01-01T00:00:00.000Z',
      deep: '1',
      q: 'x',
      limit: '2',
    });
  });

  it('lists fetch a page only when the loop reaches it', async () => {
    const { hf, seen } = await against((_seen, response) =>
      json(response, 200, [{ id: 'a' }], { 'x-next-cursor': 'c' }),
    );
    for await (const _run of hf.runs.list()) break;
    expect(seen).toHaveLength(1);
  });

  it('logs go on from the last line of a full page', async () => {
    const { hf, seen } = await against(({ url }, response) => {
      const from = Number(new URL(url, 'http://x').searchParams.get('from') ?? 0);
      const length = from === 0 ? 1000 : 3;
      json(
        response,
        200,
        Array.from({ length }, (_, n) => ({ seq: from + n + 1 })),
      );
    });
    expect(await all(hf.runs.logs('r1'))).toHaveLength(1003);
    expect(seen.map(({ url }) => url)).toEqual(['/runs/r1/logs?limit=1000', '/runs/r1/logs?from=1000&limit=1000']);
  });

  it('a run is cancelled by a POST', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 200, { id: 'r1', status: 'cancelled' }));
    expect(await hf.runs.cancel('r1')).toMatchObject({ status: 'cancelled' });
    expect(seen).toMatchObject([{ method: 'POST', url: '/runs/r1/cancel' }]);
  });
});

const frame = (seq: number, fields: object = { kind: 'log', message: 'x' }): string => {
  const data = { seq, ts: 't', runId: 'r1', ...fields };
  return `id: ${seq}\nevent: ${(data as unknown as RunFrame).kind}\ndata: ${JSON.stringify(data)}\n\n`;
};
const final = (seq: number) => frame(seq, { kind: 'run_status', status: 'succeeded' });
const sse = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('the stream of a run', () => {
  it('brings each frame once, in order, whatever the chunks, and ends with the run', async () => {
    const text = `: hello\n\n${frame(1)}: ping\n\n${frame(2, { kind: 'log', message: 'ä🚀\n' }).replaceAll('\n', '\r\n')}${final(3)}`;
    const { hf, seen } = await against(async (_seen, response) => {
      sse(response);
      for (const byte of Buffer.from(text)) {
        response.write(Buffer.of(byte));
        if (byte % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const frames = await all(hf.runs.stream('r1'));
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(frames[1]).toMatchObject({ message: 'ä🚀\n' });
    expect(seen[0]?.headers.accept).toBe('text/event-stream');
  });

  it('shows why a run is paused, and by whom', async () => {
    const pausedBy = { reason: 'manual', actor: 'ann' };
    const { hf } = await against((_seen, response) =>
      sse(response).end(`${frame(1, { kind: 'run_status', status: 'paused', pausedBy })}${final(2)}`),
    );
    const [first] = await all(hf.runs.stream('r1'));
    expect(first?.kind === 'run_status' && first.pausedBy).toEqual(pausedBy);
  });

  it('is taken up after the last frame where the connection broke', async () => {
    const { hf, seen } = await against(({ url }, response, request) => {
      const from = new URL(url, 'http://x').searchParams.get('from');
      if (from === null) return sse(response).end(frame(1) + frame(2));
      if (from === '2') return sse(response).write(frame(3), () => request.socket.destroy());
      if (seen.length < 4) return request.socket.destroy();
      sse(response).end(final(4));
    });
    expect((await all(hf.runs.stream('r1'))).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('ends where the service has nothing left, and where the loop is left', async () => {
    const { hf } = await against((_seen, response) => response.writeHead(204).end());
    expect(await all(hf.runs.stream('r1', { from: 9 }))).toEqual([]);
    let isClosed: () => void;
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const { hf: endless } = await against((_seen, response) => {
      response.on('close', () => isClosed());
      sse(response).write(frame(1));
    });
    for await (const _frame of endless.runs.stream('r1')) break;
    await closed;
  });

  it('throws what the service has against it, and the reason of its signal', async () => {
    const { hf } = await against((_seen, response) => json(response, 404, { error: 'not found' }));
    await expect(all(hf.runs.stream('r1'))).rejects.toMatchObject({ status: 404 });
    const { hf: silent } = await against((_seen, response) => sse(response).flushHeaders());
    const abort = new AbortController();
    const reading = all(silent.runs.stream('r1', { signal: abort.signal }));
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('wait', () => {
  it('gives the finished run with its result', async () => {
    const answers = [{ status: 'running' }, { status: 'succeeded', result: 42 }];
    const { hf, seen } = await against((_seen, response) => json(response, 200, { id: 'r1', ...answers.shift() }));
    expect(await hf.runs.wait('r1')).toMatchObject({ status: 'succeeded', result: 42 });
    expect(seen.map(({ url }) => url)).toEqual(['/runs/r1?wait=20000', '/runs/r1?wait=20000']);
  });

  it.each([
    [{ id: 'r1', status: 'queued' }],
    [{ runId: 'r1', eventId: 'e' }],
    [{ existingRunId: 'r1', eventId: 'e', deduped: true }],
    [{ existingRunId: 'r1', workflow: 'w', skipped: true }],
  ])('takes the whole answer to a start or a read: %j', async (answer) => {
    const { hf, seen } = await against((_seen, response) => json(response, 200, { id: 'r1', status: 'failed' }));
    expect(await hf.runs.wait(answer)).toMatchObject({ id: 'r1', status: 'failed' });
    expect(seen.map(({ url }) => url)).toEqual(['/runs/r1?wait=20000']);
  });

  it.each([
    [{ eventId: 'e', debounced: true }, 'the start was debounced'],
    [{ eventId: 'e', woke: 1 }, 'nothing was started'],
    [undefined, 'needs the id of a run'],
  ])('names the reason if an answer names no run: %j', async (answer, reason) => {
    const { hf, seen } = await against(() => undefined);
    await expect(hf.runs.wait(answer as object)).rejects.toThrow(reason);
    expect(seen).toEqual([]);
  });

  it('outlasts a restart of the service', async () => {
    let count = 0;
    const { hf } = await against((_seen, response, request) => {
      count += 1;
      if (count <= 5) return request.socket.destroy();
      json(response, 200, { id: 'r1', status: 'succeeded' });
    });
    expect(await hf.runs.wait('r1')).toMatchObject({ status: 'succeeded' });
  });

  it('throws a WaitTimeoutError when the service is away for longer than that', async () => {
    const { hf } = await against((_seen, _response, request) => request.socket.destroy());
    await expect(hf.runs.wait('r1', { timeoutMs: 1_500 })).rejects.toBeInstanceOf(WaitTimeoutError);
  });

  it('throws a WaitTimeoutError when the run takes longer', async () => {
    const { hf } = await against(() => undefined);
    const waiting = hf.runs.wait('r1', { timeoutMs: 20 });
    await expect(waiting).rejects.toBeInstanceOf(WaitTimeoutError);
    await expect(waiting).rejects.toThrow('run r1 did not finish within 20 ms');
  });

  it.each([2_592_000_000, Number.POSITIVE_INFINITY, 59_999.5])('may be for %d ms', async (timeoutMs) => {
    const answers = [{ status: 'running' }, { status: 'succeeded', result: 42 }];
    const { hf } = await against((_seen, response) => json(response, 200, { id: 'r1', ...answers.shift() }));
    expect(await hf.runs.wait('r1', { timeoutMs })).toMatchObject({ result: 42 });
  });

  it.each([-1, Number.NaN])('for %d ms is refused, and nothing is asked', async (timeoutMs) => {
    const { hf, seen } = await against((_seen, response) => json(response, 200, { id: 'r1', status: 'running' }));
    await expect(hf.runs.wait('r1', { timeoutMs })).rejects.toThrow('timeoutMs must be a number of milliseconds');
    expect(seen).toEqual([]);
  });
});

describe('the result of a run', () => {
  it.each([
    [{ status: 'succeeded' }, { result: null }],
    [{ status: 'succeeded', result: null }, { result: null }],
    [{ status: 'succeeded', result: 0 }, { result: 0 }],
  ])('that succeeded is there, null where its handler returned nothing: %j', async (answer, result) => {
    const { hf } = await against((_seen, response) => json(response, 200, { id: 'r1', ...answer }));
    expect(await hf.runs.get('r1')).toEqual({ id: 'r1', status: 'succeeded', ...result });
    expect(await hf.runs.wait('r1')).toEqual({ id: 'r1', status: 'succeeded', ...result });
  });

  it.each(['failed', 'cancelled'])('that %s is not there', async (status) => {
    const { hf } = await against((_seen, response) => json(response, 200, { id: 'r1', status }));
    expect(await hf.runs.wait('r1')).toEqual({ id: 'r1', status });
  });
});

describe('run control and approvals', () => {
  it('a run is paused, resumed, replayed and retried from a step', async () => {
    const { hf, seen } = await against((_seen, response) => json(response, 200, { id: 'r2', status: 'queued' }));
    await hf.runs.pause('r/1');
    await hf.runs.resume('r1');
    expect(await hf.runs.replay('r1')).toEqual({ id: 'r2', status: 'queued' });
    await hf.runs.replay('r1', { input: null });
    await hf.runs.retryFromStep('r1', 'charge card');
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/runs/r%2F1/pause', ''],
      ['POST', '/runs/r1/resume', ''],
      ['POST', '/runs/r1/replay', '{}'],
      ['POST', '/runs/r1/replay', '{"input":null}'],
      ['POST', '/runs/r1/retry-from-step', '{"step":"charge card"}'],
    ]);
  });

  it('approvals are listed, read and decided', async () => {
    const { hf, seen } = await against(({ url }, response) =>
      json(response, 200, url.startsWith('/approvals?') ? [] : { id: 'a1', status: 'pending' }),
    );
    await hf.approvals.list();
    await hf.approvals.list({ status: 'pending', runId: 'r1', limit: 5 });
    await hf.approvals.get('a/1');
    await hf.approvals.decide('a1', { status: 'approved', args: { cents: 1 } });
    await hf.approvals.decide('a1', { status: 'denied' });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/approvals?limit=100', ''],
      ['GET', '/approvals?status=pending&runId=r1&limit=5', ''],
      ['GET', '/approvals/a%2F1', ''],
      ['POST', '/approvals/a1/decision', '{"status":"approved","args":{"cents":1}}'],
      ['POST', '/approvals/a1/decision', '{"status":"denied"}'],
    ]);
  });

  it('a decision that comes too late is an error with the reason', async () => {
    const { hf } = await against((_seen, response) => json(response, 409, { error: 'approval is not open' }));
    await expect(hf.approvals.decide('a1', { status: 'denied' })).rejects.toMatchObject({
      status: 409,
      message: 'approval is not open',
    });
    await expect(hf.approvals.decide('a1', { status: 'approved', args: 1n })).rejects.toThrow('cannot be sent');
  });
});
