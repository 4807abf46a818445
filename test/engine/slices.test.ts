import { describe, expect, it } from 'vitest';
import { Slices, type Steps, turnMs, waitingMs } from '../../src/engine/slices.ts';

/** Slices whose clock and event loop the test drives. */
function scene() {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const slices = new Slices({ nowMs: () => nowMs, nextTurn: (begin) => turns.push(begin) });
  const done: string[] = [];
  /** How far each computation has come. */
  const steps: Record<string, number> = {};
  function* compute(name: string, count: number, stepMs: number): Steps<string> {
    for (let step = 1; step <= count; step += 1) {
      yield;
      nowMs += stepMs;
      steps[name] = step;
    }
    return name;
  }
  const run = (name: string, count: number, { owner = 'p', stepMs = 1 } = {}): Promise<string> => {
    const running = slices.run(owner, compute(name, count, stepMs));
    running.then(
      () => done.push(name),
      () => {},
    );
    return running;
  };
  /** Ends this turn of the event loop; answers how long the next one computes. */
  const turn = async (): Promise<number> => {
    const [next] = turns.splice(0, 1);
    const begunMs = nowMs;
    next?.();
    await new Promise(setImmediate);
    return nowMs - begunMs;
  };
  return { slices, run, turn, turns, done, steps };
}

function* failing(): Steps<never> {
  yield;
  throw new Error('bad');
}

describe('a computation', () => {
  it('that is short runs at once, without a further turn', async () => {
    const { run, turns } = scene();
    expect(await run('a', 5, { stepMs: 0.1 })).toBe('a');
    expect(turns).toHaveLength(0);
  });

  it('that is long leaves most of each further turn to others', async () => {
    const { run, turn, done, steps } = scene();
    const running = run('a', 40);
    expect(steps).toEqual({ a: turnMs });
    while (done.length === 0) expect(await turn()).toBeLessThanOrEqual(waitingMs);
    expect(await running).toBe('a');
  });

  it('without work does not wait for others', async () => {
    const { run } = scene();
    void run('a', 40);
    expect(await run('b', 0)).toBe('b');
  });

  it('that throws rejects, and the others go on', async () => {
    const { slices, run, turn, done } = scene();
    const long = run('a', 25);
    const bad = slices.run('p', failing());
    const seen = expect(bad).rejects.toThrow('bad');
    for (let n = 0; n < 3; n += 1) await turn();
    await seen;
    await long;
    expect(done).toEqual(['a']);
  });
});

describe('the computations of one turn', () => {
  it('share its time', async () => {
    const { run, steps } = scene();
    const running = [run('a', 15), run('b', 15), run('c', 15)];
    expect(steps).toEqual({ a: 15, b: turnMs - 15 });
    expect(running).toHaveLength(3);
  });

  it('have all of it again in the next turn', async () => {
    const { run, turn, done } = scene();
    await run('a', 15);
    await turn();
    await run('b', 15);
    expect(done).toEqual(['a', 'b']);
  });
});

describe('waiting computations', () => {
  it('advance alike, whatever came first', async () => {
    const { run, turn, steps } = scene();
    const running = [run('a', 1_000), run('b', 1_000), run('c', 1_000)];
    for (let n = 0; n < 12; n += 1) await turn();
    const [{ a = 0 } = {}, { b = 0, c = 0 }] = [steps, steps];
    expect([a - turnMs, b, c]).toEqual([20, 20, 20]);
    expect(running).toHaveLength(3);
  });

  it('of a project with one advance like those of a project with many', async () => {
    const { run, turn, done, steps } = scene();
    for (let n = 0; n < 50; n += 1) void run(`many ${n}`, 1_000, { owner: 'many' });
    const one = run('one', 10, { owner: 'one' });
    while (!done.includes('one')) await turn();
    const others = Object.entries(steps).reduce((sum, [name, count]) => (name === 'one' ? sum : sum + count), 0);
    expect(others - turnMs).toBeLessThanOrEqual(10 + waitingMs);
    await one;
  });
});
