import { AsyncLocalStorage } from 'node:async_hooks';
import type { PlainWork } from './plainWork.ts';

/** Where in a pass code is running: in the handler itself, or in the body of a step. */
export interface Scope {
  readonly plainWork: PlainWork;
  readonly step?: string;
}

export const scope = new AsyncLocalStorage<Scope | undefined>();
