import type { Policy, PolicyName } from '../index.ts';
import { batch } from './batch/batch.ts';
import { budget } from './budget/budget.ts';
import { cap } from './cap.ts';
import { concurrency } from './concurrency/index.ts';
import { debounce } from './debounce/debounce.ts';
import { idempotency } from './idempotency/idempotency.ts';
import { priority } from './priority.ts';
import { rateLimit } from './rateLimit.ts';
import { singleton } from './singleton/singleton.ts';
import { throttle } from './throttle/throttle.ts';
import { tokenThrottle } from './token-throttle/index.ts';

/** All policies (2.2), in the order in which they are stored, shown, and run within a stage. */
const list = {
  concurrency,
  throttle,
  rateLimit,
  debounce,
  batch,
  priority,
  singleton,
  idempotency,
  cap,
  budget,
  tokenThrottle,
} satisfies Policies;

type Policies = { [Name in PolicyName]: Policy<Name> };

const policies: Policies = list;

export const policyOf = <Name extends PolicyName>(name: Name): Policy<Name> => policies[name];

export const policyNames = Object.keys(list) as PolicyName[];

/** Whether the text is the name of a policy. */
export const isPolicyName = (name: string): name is PolicyName => Object.hasOwn(list, name);

/** The lists of the flow state, with their rows. */
export type PolicyStates = {
  [Name in PolicyName as FieldOf<(typeof list)[Name]>]: RowOf<(typeof list)[Name]>[];
};

type FieldOf<Listed> = Listed extends { state: { field: infer Field extends string } } ? Field : never;

type RowOf<Listed> = Listed extends { state: { read(...question: never): Promise<(infer Row)[]> } } ? Row : never;
