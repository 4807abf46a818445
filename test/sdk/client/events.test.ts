import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type EventMessage,
  EventSchemaError,
  eventType,
  HoldfastApiError,
  type LoggedEvent,
} from '../../../sdk/src/index.ts';
import { clientOf, json } from '../support/httpDouble.ts';

const warnings: string[] = [];
const logger = { info: () => {}, error: () => {}, warn: (message: string) => void warnings.push(message) };

describe('events sent together', () => {
  it('go in one request, and have one answer each', async () => {
    const results = [
      { eventId: 'e1', woke: 0, triggered: [] },
      { eventId: 'e2', woke: 1, triggered: [] },
    ];
    const { hf, seen } = await clientOf((_seen, response) => json(response, 202, { results }), { app: 'shop' });
    const paid = eventType<{ n: number }>('order.paid');
    const sent = await hf.events.send([
      { name: paid, data: { n: 1 }, dedupeId: 'd' },
      { name: 'x', app: 'other' },
    ]);
    expect(sent).toEqual(results);
    expect(seen).toMatchObject([{ method: 'POST', url: '/events/batch' }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      events: [
        { app: 'shop', name: 'order.paid', data: { n: 1 }, dedupeId: 'd' },
        { app: 'other', name: 'x' },
      ],
    });
  });

  it('need no request if there are none', async () => {
    const { hf, seen } = await clientOf((_seen, response) => json(response, 202, { results: [] }));
    expect(await hf.events.send([])).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('are not sent if one does not fit its schema, and misspelt fields are warned of', async () => {
    const { hf, seen } = await clientOf((_seen, response) => json(response, 202, { results: [] }), { logger });
    const typed = eventType('typed', { schema: z.object({ n: z.number() }) });
    const bad: unknown = { n: '1' };
    await expect(hf.events.send([{ name: typed, data: bad as { n: number } }])).rejects.toThrow(EventSchemaError);
    expect(seen).toEqual([]);
    const misspelt = { name: 'x', dedupID: '1' };
    await hf.events.send([misspelt].map((each: EventMessage) => each));
    expect(warnings.at(-1)).toContain('events.send has no field "dedupID"; perhaps "dedupeId" is meant');
  });
});

describe('the stream of events', () => {
  const told = (id: string) => `id: ${id}\nevent: event\ndata: ${JSON.stringify({ id, name: 'n' })}\n\n`;
  const open = (response: ServerResponse, text: string) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
  const idsOf = async (events: AsyncIterable<LoggedEvent>, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of events) if (ids.push(id) === count) break;
    return ids;
  };
  const positions = (seen: readonly { url: string; headers: Record<string, unknown> }[]) =>
    seen.filter(({ url }) => url.startsWith('/events/stream')).map(({ headers }) => headers['last-event-id']);

  it('begins after the newest event, and resumes after the last one if the connection breaks', async () => {
    let connections = 0;
    const { hf, seen } = await clientOf((request, response) => {
      if (request.url === '/events?limit=1') return json(response, 200, [{ id: 'e1' }]);
      connections += 1;
      // The first connection breaks before any event, the second after two.
      open(response, connections === 1 ? ': hello\n\n' : connections === 2 ? told('e2') + told('e3') : told('e4'));
      if (connections < 3) setImmediate(() => response.destroy());
      return undefined;
    });
    expect(await idsOf(hf.events.stream({ name: 'n', app: 'shop' }), 3)).toEqual(['e2', 'e3', 'e4']);
    expect(positions(seen)).toEqual(['e1', 'e1', 'e3']);
    expect(seen[1]?.url).toBe('/events/stream?name=n&app=shop');
  });

  it('begins where it is asked to, or before all events of an empty log', async () => {
    const { hf, seen } = await clientOf((request, response) =>
      request.url === '/events?limit=1' ? json(response, 200, []) : open(response, told('e1')),
    );
    expect(await idsOf(hf.events.stream({ after: 'e0' }), 1)).toEqual(['e1']);
    expect(await idsOf(hf.events.stream(), 1)).toEqual(['e1']);
    expect(positions(seen)).toEqual(['e0', '00000000-0000-0000-0000-000000000000']);
  });

  it('throws what the service has against it, and the reason of its signal', async () => {
    const { hf } = await clientOf((_seen, response) => json(response, 400, { error: 'no id' }));
    await expect(idsOf(hf.events.stream({ after: 'x' }), 1)).rejects.toThrow(HoldfastApiError);
    const { hf: patient } = await clientOf((_seen, response) => open(response, ''));
    const abort = new AbortController();
    const waiting = idsOf(patient.events.stream({ after: 'e0', signal: abort.signal }), 1);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('filters', () => {
  it('that are misspelt are warned of by name, and refused in bulk calls', async () => {
    const { hf, seen } = await clientOf((_seen, response) => json(response, 200, []), { logger });
    const misspelt = { app: 'shop', nam: 'order.paid' };
    for await (const _ of hf.events.list(misspelt)) break;
    expect(warnings.at(-1)).toContain('events.list has no field "nam"; perhaps "name" is meant');
    const wrong = { app: 'shop', worfklow: 'ship' };
    await expect(hf.runs.bulkCancel(wrong)).rejects.toThrow(
      'the filter of runs.bulkCancel has no field "worfklow"; perhaps "workflow" is meant',
    );
    expect(seen.map(({ url }) => url)).toEqual(['/events?app=shop&nam=order.paid&limit=100']);
  });
});
