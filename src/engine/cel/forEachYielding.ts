import { setImmediate } from 'node:timers/promises';

const turnMs = 20;

/**
 * Visits items one after the other. After 20 ms everything else has its turn: guards of one event
 * stall nobody (rulings 4).
 */
export async function forEachYielding<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
  let endsAt = performance.now() + turnMs;
  for (const item of items) {
    if (performance.now() >= endsAt) {
      await setImmediate();
      endsAt = performance.now() + turnMs;
    }
    visit(item);
  }
}
