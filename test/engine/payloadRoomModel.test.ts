import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PayloadRoom } from '../../src/engine/payloadRoom.ts';

const maxBytes = 100;

/** An answer that takes room bit by bit, and gives all of it back at its end. */
class Answer {
  readonly #room: PayloadRoom;
  readonly #caller = new AbortController();
  #given: (() => void)[] = [];
  heldBytes = 0;
  waits = 0;

  constructor(room: PayloadRoom) {
    this.#room = room;
  }

  async take(bytes: number): Promise<void> {
    this.waits += 1;
    try {
      const giveBack = await this.#room.take(bytes, this.#caller.signal, this);
      this.#given.push(giveBack);
      this.heldBytes += bytes;
    } catch {
      // Its caller has gone.
    }
    this.waits -= 1;
  }

  /** It has left, or its caller has gone. */
  async end(): Promise<void> {
    this.#caller.abort();
    await settled();
    for (const giveBack of [...this.#given, ...this.#given]) giveBack();
    this.#given = [];
    this.heldBytes = 0;
    await settled();
  }
}

/** Whoever can go on has done so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const index = fc.nat({ max: 3 });
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('take' as const), of: index, bytes: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), of: index }) },
  // What waits cannot come to its end.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('finish' as const), of: index }) },
);

function check(room: PayloadRoom, answers: readonly Answer[]): void {
  const held = answers.map(({ heldBytes }) => heldBytes);
  const all = held.reduce((sum, each) => sum + each, 0);
  expect(room.heldBytes).toBe(all);
  expect(all - Math.max(...held)).toBeLessThanOrEqual(maxBytes);
  // Somebody can go on, and will make room for those who wait.
  if (answers.some(({ waits }) => waits > 0))
    expect(answers.some(({ waits, heldBytes }) => waits === 0 && heldBytes > 0)).toBe(true);
}

it('the room is exceeded by one answer at most, nobody waits for ever in it, and it is empty in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const room = new PayloadRoom({ maxBytes, waitMs: 60_000 });
      const answers = [0, 1, 2, 3].map(() => new Answer(room));
      const end = async (of: number): Promise<void> => {
        await answers[of]?.end();
        answers[of] = new Answer(room);
      };
      for (const each of actions) {
        const answer = answers[each.of];
        if (each.kind === 'take') void answer?.take(each.bytes);
        else if (each.kind === 'leave' || answer?.waits === 0) await end(each.of);
        await settled();
        check(room, answers);
      }
      // A round ends one of those who wait at least.
      for (let round = 0; round < 5; round++) {
        for (const of of [0, 1, 2, 3]) if (answers[of]?.waits === 0) await end(of);
        check(room, answers);
      }
      expect(answers.map(({ waits }) => waits)).toEqual([0, 0, 0, 0]);
      expect(room.heldBytes).toBe(0);
    }),
    { numRuns: 300 },
  );
});
