import type { LookupAddress } from 'node:dns';
import { hostResolver, type ResolveAll } from './resolveHost.ts';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Resolves a name once for all requests that ask meanwhile. */
export function sharedResolver(resolve: ResolveAll = hostResolver()): ResolveAll {
  const waiting = new Map<string, Answer[]>();
  return (hostname, options, callback) => {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const others = waiting.get(key);
    if (others) {
      others.push(callback);
      return;
    }
    const answers: Answer[] = [callback];
    waiting.set(key, answers);
    resolve(hostname, options, (error, addresses) => {
      waiting.delete(key);
      for (const answer of answers) answer(error, addresses);
    });
  };
}
