import type { ClientRequest, IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HttpRequest } from '../../../src/workers/dispatcher/http/httpClient.ts';
import type { HttpLink } from '../../../src/workers/dispatcher/http/httpLink.ts';
import { Probes } from '../../../src/workers/dispatcher/http/probes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const probeMs = 30_000;

/** Runners that answer after so long, and the probes of them. */
class Runners {
  readonly sent: string[] = [];
  readonly answered: string[] = [];
  readonly missed: string[] = [];
  /** By URL, in ms; not at all without. */
  readonly delays = new Map<string, number>();
  readonly probes = new Probes({
    client: { send: (request) => this.#send(request) },
    probeMs,
    log: pino({ level: 'silent' }),
    isLive: ({ seenMs }) => performance.now() - seenMs < 3 * probeMs,
    onMiss: ({ runner }) => this.missed.push(runner.url),
    onAnswer: (link) => {
      this.answered.push(link.runner.url);
      Object.assign(link, { seenMs: performance.now() });
    },
  });
  underWay = 0;
  mostUnderWay = 0;

  #send({ onError, onResponse, url }: HttpRequest): ClientRequest {
    this.sent.push(url);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const delayMs = this.delays.get(url);
    const response = { resume: () => undefined } as unknown as IncomingMessage;
    const end = (): void => {
      this.underWay -= 1;
      if (delayMs === Number.NEGATIVE_INFINITY) onError(new Error('refused'), false);
      else onResponse(response);
    };
    const timer = delayMs === undefined ? undefined : setTimeout(end, Math.max(0, delayMs));
    const destroy = (): void => {
      this.underWay -= 1;
      clearTimeout(timer);
    };
    return { destroy } as unknown as ClientRequest;
  }

  /** Asks all of them again and again, as a dispatcher does. */
  async turns(count: number, links: readonly HttpLink[]): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      for (const link of links) this.probes.ask(link);
      await vi.advanceTimersByTimeAsync(probeMs);
    }
  }
}

const link = (url: string, seenMs = Number.NEGATIVE_INFINITY): HttpLink =>
  ({ runner: { url }, seenMs }) as unknown as HttpLink;

describe('a runner that is probed', () => {
  it.each([
    ['live', 0],
    ['not', undefined],
  ])('is probed once at a time: %s', async (_, seenMs) => {
    const runners = new Runners();
    const slow = link('slow', seenMs);
    runners.delays.set('slow', 1_000);
    runners.probes.ask(slow);
    runners.probes.ask(slow);
    await vi.advanceTimersByTimeAsync(500);
    runners.probes.ask(slow);
    await vi.advanceTimersByTimeAsync(probeMs);
    expect(runners.sent).toEqual(['slow']);
    expect(runners.answered).toEqual(['slow']);
  });

  it('B4: and hangs is probed with growing pauses, each time with the long timeout', async () => {
    const runners = new Runners();
    await runners.turns(32, [link('hangs')]);
    // In short and then patiently, then after 2, 4, 8 and again 8 intervals.
    expect(runners.sent).toHaveLength(6);
    expect(runners.underWay).toBe(0);
  });

  it('B4: and hung is probed at once after it was seen again', async () => {
    const runners = new Runners();
    const hung = link('hung');
    await runners.turns(8, [hung]);
    Object.assign(hung, { seenMs: performance.now() });
    runners.delays.set('hung', 10);
    runners.sent.length = 0;
    await runners.turns(3, [hung]);
    expect(runners.sent).toHaveLength(3);
    expect(runners.answered).toHaveLength(3);
  });

  it('B4: and refuses at once is probed each time', async () => {
    const runners = new Runners();
    runners.delays.set('refuses', Number.NEGATIVE_INFINITY);
    await runners.turns(10, [link('refuses')]);
    expect(runners.sent).toHaveLength(10);
    expect(runners.answered).toEqual([]);
  });

  it('B2: and answers slowly is found, and has a longer timeout from then on', async () => {
    const runners = new Runners();
    runners.delays.set('slow', 6_000);
    await runners.turns(4, [link('slow')]);
    // At first it is not given that time.
    expect(runners.sent).toHaveLength(4);
    expect(runners.answered).toHaveLength(3);
  });

  it('is not probed after it was forgotten, or after probing has stopped', async () => {
    const runners = new Runners();
    const hanging = Array.from({ length: 2_000 }, (_, at) => link(`hanging${at}`));
    const [gone, left] = [link('gone'), link('left')];
    for (const each of [...hanging, gone, left]) runners.probes.ask(each);
    runners.probes.forget(gone);
    runners.probes.stop();
    await vi.advanceTimersByTimeAsync(probeMs);
    runners.probes.ask(left);
    await vi.advanceTimersByTimeAsync(probeMs);
    expect(runners.sent).not.toContain('gone');
    expect(runners.sent).not.toContain('left');
    expect(runners.underWay).toBe(0);
  });
});

describe('runners that answer', () => {
  it.each([
    ['while they are live', 0],
    ['when they come back', Number.NEGATIVE_INFINITY],
  ])('are all found while many others hang, %s', async (_, seenMs) => {
    const runners = new Runners();
    const hanging = Array.from({ length: 1_000 }, (_each, at) => link(`hanging${at}`, seenMs));
    const healthy = Array.from({ length: 50 }, (_each, at) => link(`healthy${at}`, seenMs));
    for (const { runner } of healthy) runners.delays.set(runner.url, 50);
    await runners.turns(1, [...hanging, ...healthy]);
    for (let turn = 1; turn <= 6; turn += 1) {
      expect(runners.answered).toHaveLength(50);
      runners.answered.length = 0;
      await runners.turns(1, [...hanging, ...healthy]);
    }
  });

  it('B3: are found a turn later if they missed one', async () => {
    const runners = new Runners();
    const hanging = Array.from({ length: 1_000 }, (_, at) => link(`hanging${at}`));
    const healthy = link('healthy');
    runners.delays.set('healthy', 50);
    await runners.turns(1, [healthy, ...hanging]);
    runners.delays.delete('healthy');
    await runners.turns(1, [...hanging, healthy]);
    runners.delays.set('healthy', 50);
    runners.answered.length = 0;
    await runners.turns(1, [...hanging, healthy]);
    expect(runners.answered).toEqual(['healthy']);
  });

  it('B1: are each probed within a minute and a half after a start with ten thousand that hang', async () => {
    const runners = new Runners();
    const links = Array.from({ length: 10_000 }, (_, at) => link(`hanging${at}`));
    await runners.turns(3, links);
    expect(new Set(runners.sent).size).toBe(10_000);
    expect(runners.mostUnderWay).toBeLessThanOrEqual(512);
  });
});
