import { AsyncLocalStorage } from 'node:async_hooks';
import type { PlainWork } from './plainWork.ts';

/** Identifies whether the handler itself or the body of a step is running. */
export interface Scope {
  readonly plainWork: PlainWork;
  readonly step?: string;
}

export const scope = new AsyncLocalStorage<Scope | undefined>();
