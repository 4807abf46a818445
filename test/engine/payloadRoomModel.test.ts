import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PayloadRoom, type Reservation } from '../../src/engine/payloadRoom.ts';

const maxBytes = 100;

/** An answer that waits once, grows bit by bit, and gives all of it back at its end. */
class Answer {
  readonly #room: PayloadRoom;
  readonly #caller = new AbortController();
  #reservation: Reservation | undefined;
  heldBytes = 0;
  isWaiting = false;

  constructor(room: PayloadRoom) {
    this.#room = room;
  }

  async take(bytes: number): Promise<void> {
    if (this.isWaiting) return;
    if (this.#reservation) return this.#resize(this.heldBytes + bytes);
    this.isWaiting = true;
    try {
      this.#reservation = await this.#room.enter(bytes, this.#caller.signal);
      this.heldBytes = bytes;
    } catch {
      // Its caller has gone.
    }
    this.isWaiting = false;
  }

  /** It has been sent, or its caller has gone. */
  async end(): Promise<void> {
    this.#caller.abort();
    await settled();
    this.#resize(0);
    this.#resize(0);
    await settled();
  }

  #resize(bytes: number): void {
    this.#reservation?.resize(bytes);
    this.heldBytes = bytes;
  }
}

/** Every answer that can go on has done so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const index = fc.nat({ max: 3 });
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('take' as const), of: index, bytes: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), of: index }) },
  // An answer that waits does not come to its end.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('finish' as const), of: index }) },
);

function check(room: PayloadRoom, answers: readonly Answer[], entered: readonly Answer[]): void {
  const held = answers.map(({ heldBytes }) => heldBytes);
  const all = held.reduce((sum, each) => sum + each, 0);
  expect(room.heldBytes).toBe(all);
  // P2: an answer that waits holds nothing, and an answer that does not wait will make room for it.
  for (const { isWaiting, heldBytes } of answers) if (isWaiting) expect(heldBytes).toBe(0);
  if (answers.some(({ isWaiting }) => isWaiting)) expect(all).toBeGreaterThan(0);
  // P3
  if (entered.length > 0 && answers.some((each) => each.heldBytes > 0 && !entered.includes(each)))
    expect(all).toBeLessThanOrEqual(maxBytes);
}

it('P2, P3: no answer waits for ever, none enters beyond the limit, and the room is empty in the end', async () => {
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
        const before = answers.filter(({ heldBytes }) => heldBytes > 0);
        if (each.kind === 'take') void answer?.take(each.bytes);
        else if (each.kind === 'leave' || !answer?.isWaiting) await end(each.of);
        await settled();
        const entered = answers.filter((other) => other.heldBytes > 0 && !before.includes(other));
        check(room, answers, entered);
      }
      // A round ends at least one answer that holds memory, and another one enters.
      for (let round = 0; round < 5; round++) {
        for (const of of [0, 1, 2, 3]) if (!answers[of]?.isWaiting) await end(of);
        check(room, answers, []);
      }
      expect(answers.map(({ isWaiting }) => isWaiting)).toEqual([false, false, false, false]);
      expect(room.heldBytes).toBe(0);
    }),
    { numRuns: 300 },
  );
});
