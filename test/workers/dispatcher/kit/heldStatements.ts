import type { Post } from './site.ts';

/**
 * Lets a dispatcher's own statement of that name wait, outside of transactions, until it is
 * released: as if it stood still.
 */
export function hold({ engine: { db } }: Pick<Post, 'engine'>, name: string): { release(): void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const query = db.query.bind(db) as (...args: unknown[]) => Promise<unknown>;
  const held = async (...args: unknown[]): Promise<unknown> => {
    const [config] = args;
    if (typeof config === 'object' && config && 'name' in config && config.name === name) await released;
    return query(...args);
  };
  Object.assign(db, { query: held, urgent: undefined });
  return { release };
}
