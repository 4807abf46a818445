import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FlowSite, waitLimits } from './flowSite.ts';

/** The policies that buffer starts, as users see them. */
let site: FlowSite;
const seen: { workflow: string; event: unknown; events: unknown[] }[] = [];

const hour = 3_600_000;

beforeAll(async () => {
  site = await FlowSite.open();
  const { hf } = site;
  const noting =
    (workflow: string) =>
    ({ event, events }: { event: { data: unknown }; events: readonly { data: unknown }[] }) => {
      seen.push({ workflow, event: event.data, events: events.map((each) => each.data) });
    };
  hf.workflow({ id: 'calm', debounce: { periodMs: 400, key: 'k' } }, noting('calm'));
  hf.workflow({ id: 'calmer', debounce: { periodMs: hour } }, noting('calmer'));
  hf.workflow({ id: 'trio', batch: { maxSize: 3, timeoutMs: hour } }, noting('trio'));
  hf.workflow({ id: 'soon', batch: { maxSize: 100, timeoutMs: 200 } }, noting('soon'));
  await site.connect(hf, 'r1');
}, 120_000);

afterAll(() => site?.close(), 30_000);

const of = (workflow: string) => seen.filter((each) => each.workflow === workflow);

describe('debounce', () => {
  it('answers debounced, and runs once, for the last of a burst, per key', async () => {
    const told = [
      await site.send('calm', { k: 'a', n: 1 }),
      await site.send('calm', { k: 'a', n: 2 }),
      await site.trigger('calm', { k: 'b', n: 3 }),
    ];
    for (const each of told) {
      expect(each).toMatchObject({ debounced: true });
      expect(each).not.toHaveProperty('runId');
    }
    await site.send('calm', { k: 'a', n: 4 });
    await vi.waitFor(() => expect(of('calm').map((each) => each.event)).toContainEqual({ k: 'a', n: 4 }), waitLimits);
    await vi.waitFor(() => expect(of('calm').map((each) => each.event)).toContainEqual({ k: 'b', n: 3 }), waitLimits);
    // If the machine stalls for a whole period between two events, the first forms a burst of its
    // own.
    expect(of('calm').length).toBeLessThanOrEqual(4);
    expect(
      of('calm')
        .filter((each) => JSON.stringify(each.event).includes('"a"'))
        .at(-1)?.event,
    ).toEqual({ k: 'a', n: 4 });
  });

  it('shows what waits for quiet', async () => {
    await site.send('calmer', { n: 1 });
    await site.send('calmer', { n: 2 });
    const { debounce } = await site.get('/flow-state?workflow=calmer');
    const nextFireAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(debounce).toEqual([{ app: 'flow', workflow: 'calmer', pending: 1, nextFireAt }]);
  });
});

describe('batch', () => {
  it('answers batched, and gives the handler all events; a replay has them, too', async () => {
    const told = [await site.send('trio', { n: 1 }), await site.trigger('trio', { n: 2 })];
    for (const each of told) {
      expect(each).toMatchObject({ batched: true });
      expect(each).not.toHaveProperty('runId');
    }
    const { batch } = await site.get('/flow-state?workflow=trio');
    expect(batch).toEqual([{ app: 'flow', workflow: 'trio', buffered: 2, oldestAt: expect.any(String) }]);
    await site.send('trio', { n: 3 });
    const [run] = await site.allDone('trio', 1);
    const whole = { workflow: 'trio', event: { n: 1 }, events: [{ n: 1 }, { n: 2 }, { n: 3 }] };
    expect(of('trio')).toEqual([whole]);
    expect(await site.hf.runs.get(run?.id ?? '')).toMatchObject({ eventId: told[0]?.eventId, input: { n: 1 } });
    await site.hf.runs.replay(run?.id ?? '');
    await site.allDone('trio', 2);
    expect(of('trio')).toEqual([whole, whole]);
    expect((await site.get('/flow-state?workflow=trio')).batch).toEqual([]);
  });

  it('goes when its first event has waited long enough, none lost, none twice', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => site.send('soon', { n })));
    const all = () => of('soon').flatMap((each) => each.events as { n: number }[]);
    await vi.waitFor(() => expect(all()).toHaveLength(10), waitLimits);
    expect(new Set(all().map(({ n }) => n)).size).toBe(10);
  });
});

it('leaves nothing behind that the doctor objects to', async () => expect(await site.violations()).toEqual([]));
