import { setImmediate } from 'node:timers/promises';

const turnMs = 20;

/**
 * Visits items one after the other. Every 20 ms it yields to the event loop, so that the guards of
 * one event do not block other work (rulings 4).
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
