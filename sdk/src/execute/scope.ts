import { AsyncLocalStorage } from 'node:async_hooks';
import type { PlainWork } from './plainWork.ts';
import type { StepTools } from './stepTools.ts';

/** Identifies the pass, and whether the handler itself or the body of a step is running. */
export interface Scope {
  readonly plainWork: PlainWork;
  /** The steps of the pass. */
  readonly steps: StepTools;
  readonly step?: string;
}

export const scope = new AsyncLocalStorage<Scope | undefined>();

/** The steps of the pass that the caller runs in; undefined outside of a run. */
export const currentSteps = (): StepTools | undefined => scope.getStore()?.steps;
