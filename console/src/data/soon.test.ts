import { describe, expect, it } from 'vitest';
import { Soon } from './soon.ts';

/** A `Soon` whose time passes by `turn`. */
function soon(run: () => Promise<unknown>) {
  let due: (() => void) | undefined;
  const made = new Soon({
    run,
    later: (next) => {
      due = next;
      return () => {
        due = undefined;
      };
    },
  });
  const turn = async (): Promise<void> => {
    const next = due;
    due = undefined;
    next?.();
    await new Promise((done) => setTimeout(done));
  };
  return { made, turn };
}

describe('what runs soon', () => {
  it('runs once for many askings, and again for one that came while it ran', async () => {
    let runs = 0;
    const { made, turn } = soon(async () => {
      runs += 1;
      if (runs === 1) made.ask();
    });
    made.ask();
    made.ask();
    await turn();
    expect(runs).toBe(1);
    await turn();
    await turn();
    expect(runs).toBe(2);
  });

  it('runs again where it fails, and no more once it is stopped', async () => {
    let runs = 0;
    const { made, turn } = soon(async () => {
      runs += 1;
      throw new Error('busy');
    });
    made.ask();
    await turn();
    await turn();
    expect(runs).toBe(2);
    made.stop();
    await turn();
    made.ask();
    await turn();
    expect(runs).toBe(2);
  });
});
