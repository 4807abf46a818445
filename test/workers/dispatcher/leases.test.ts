import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
afterEach(() => site.close());

const silenceMs = 150;
const longWait = { timeout: 10_000 };

/**
 * A dispatcher with a runner, whose heartbeats are not answered any more, for so long that others
 * may have taken its runs.
 */
async function unheard() {
  site = await ScriptedSite.open({ options: { silenceMs } });
  const runner = site.connect();
  await runner.ready();
  const { work } = site;
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  work.onTick = () => answered;
  // A pass is sent again and again while the last heartbeat counts. Then it is held.
  work.onSettle = () => 'again';
  runner.ws.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type === 'invoke') runner.answer(frame);
  });
  site.enqueue();
  await vi.waitFor(() => expect(site.dispatcher.stats().waiting).toBe(1), longWait);
  work.onSettle = () => 'released';
  return { runner, answer };
}

const invokesOf = (runner: ReturnType<ScriptedSite['connect']>): string[] =>
  runner.frames.all.flatMap((frame) => (frame.type === 'invoke' ? [frame.request.ctx.runId] : []));

describe('a dispatcher without an answered heartbeat for the length of its leases', () => {
  it('D2, P5: sends neither held nor claimed passes until one is answered', async () => {
    const { runner, answer } = await unheard();
    const before = invokesOf(runner).length;
    const [late = ''] = site.enqueue();
    await vi.waitFor(() => expect(site.dispatcher.stats().waiting).toBe(2), longWait);
    expect(invokesOf(runner)).toHaveLength(before);
    answer();
    await vi.waitFor(() => expect(invokesOf(runner)).toHaveLength(before + 2), longWait);
    expect(invokesOf(runner)).toContain(late);
  });

  it('sends no pass if it was found dead meanwhile', async () => {
    const { runner, answer } = await unheard();
    const before = invokesOf(runner).length;
    site.work.isAlive = false;
    answer();
    const [fresh = ''] = await vi.waitFor(() => {
      expect(site.work.retired).toEqual(['dispatcher-1']);
      return site.enqueue();
    }, longWait);
    await vi.waitFor(() => expect(invokesOf(runner).slice(before)).toEqual([fresh]), longWait);
  });
});

describe('a dispatcher that looks for unknown leases', () => {
  it('keeps its heartbeat meanwhile', async () => {
    site = await ScriptedSite.open({ options: { silenceMs, tickMs: 20 } });
    const { work } = site;
    let beats = 0;
    work.onTick = () => {
      beats += 1;
    };
    let answer = (): void => undefined;
    const looked = new Promise<void>((resolve) => {
      work.onSuspects = () => {
        resolve();
        return new Promise<void>((done) => {
          answer = done;
        });
      };
    });
    await looked;
    const before = beats;
    await vi.waitFor(() => expect(beats).toBeGreaterThan(before + 3), longWait);
    answer();
  });
});
