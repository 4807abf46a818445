import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { counts, durations, keyFault, type NumberKind } from './simulationFields.ts';

type FlowControl = NonNullable<WorkflowQuery['workflow']>['flowControl'];

/** The policies that can be tried, in the order in which people know them. */
export const policyNames = [
  'concurrency',
  'throttle',
  'rateLimit',
  'debounce',
  'batch',
  'singleton',
  'idempotency',
  'ceiling',
] as const;
export type PolicyName = (typeof policyNames)[number];

/** The fields of a policy, as a definition has them. Defaults are left out. */
export type Policy = Readonly<Record<string, number | string>>;
/** The policies that are on. */
export type Policies = Readonly<Partial<Record<PolicyName, Policy>>>;

export interface NumberField {
  field: string;
  label: string;
  kind: NumberKind;
}

interface Shape {
  title: string;
  /** The effect of the policy, in a few words. */
  does: string;
  numbers: readonly NumberField[];
  hasKey: boolean;
  hasMode?: true;
  /** Its fields when it is switched on. */
  first: Policy;
}

const day = 86_400_000;
const limit = (label: string): NumberField => ({ field: 'limit', label, kind: counts });
const length = (field: string, label: string): NumberField => ({ field, label, kind: durations });

export const shapes: Readonly<Record<PolicyName, Shape>> = {
  concurrency: {
    title: 'Concurrency',
    does: 'Limits the runs that execute at once.',
    numbers: [limit('Runs at once')],
    hasKey: true,
    first: { limit: 5 },
  },
  throttle: {
    title: 'Throttle',
    does: 'Spaces starts evenly, and drops none.',
    numbers: [limit('Starts'), length('perMs', 'Per')],
    hasKey: true,
    first: { limit: 10, perMs: 60_000 },
  },
  rateLimit: {
    title: 'Rate limit',
    does: 'Drops starts beyond a rate.',
    numbers: [limit('Starts'), length('perMs', 'Per')],
    hasKey: true,
    first: { limit: 10, perMs: 60_000 },
  },
  debounce: {
    title: 'Debounce',
    does: 'Merges a burst into one run after quiet.',
    numbers: [length('periodMs', 'Quiet time')],
    hasKey: true,
    first: { periodMs: 10_000 },
  },
  batch: {
    title: 'Batch',
    does: 'Collects events for one run.',
    numbers: [{ field: 'maxSize', label: 'Events', kind: counts }, length('timeoutMs', 'Or after')],
    hasKey: true,
    first: { maxSize: 10, timeoutMs: 10_000 },
  },
  singleton: {
    title: 'Singleton',
    does: 'Allows one unfinished run.',
    numbers: [],
    hasKey: true,
    hasMode: true,
    first: {},
  },
  idempotency: {
    title: 'Idempotency',
    does: 'Handles equal events once.',
    numbers: [length('periodMs', 'Within')],
    hasKey: true,
    first: { periodMs: day },
  },
  ceiling: {
    title: 'Ceiling of the project',
    does: 'Limits the runs of all workflows. The operator sets it.',
    numbers: [limit('Runs at once')],
    hasKey: false,
    first: { limit: 50 },
  },
};

/** The policies in force that can be tried. A `ceiling` of 0 is none. */
export function inForce(flowControl: FlowControl, ceiling: number): Policies {
  const registered = { ...flowControl, ...(ceiling > 0 && { ceiling: { limit: ceiling } }) };
  return Object.fromEntries(
    policyNames.flatMap((name) => {
      const policy = policyOf(name, (registered as Record<string, unknown>)[name]);
      return policy ? [[name, policy]] : [];
    }),
  );
}

/** Reads the fields of a policy; undefined if it lacks one, or if one is out of range. */
export function policyOf(name: PolicyName, value: unknown): Policy | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const { numbers, hasKey, hasMode, first } = shapes[name];
  const policy: Record<string, number | string> = {};
  for (const { field, kind } of numbers) {
    // Only the period of `idempotency` has a default.
    const number = given[field] ?? (name === 'idempotency' ? first[field] : undefined);
    if (typeof number !== 'number' || kind.read(kind.edit(number)) !== number) return undefined;
    policy[field] = number;
  }
  const { key, mode } = given;
  if (hasKey && typeof key === 'string' && key !== '') {
    if (keyFault(key)) return undefined;
    policy['key'] = key;
  }
  if (hasMode && typeof mode === 'string' && mode.toLowerCase() === 'skip') policy['mode'] = 'skip';
  return policy;
}

/** The policies as a definition has them. The ceiling belongs to the project. */
export const definitionOf = ({ ceiling: _, ...policies }: Policies): Record<string, Policy> => policies;

/** The ceiling to ask for; 0 is none. */
export const ceilingOf = ({ ceiling }: Policies): number => Number(ceiling?.['limit'] ?? 0);

const ofSpend = ['tokenThrottle', 'budget', 'cap'] as const;

/** The policies in force that a simulation leaves out. */
export const leftOut = (flowControl: FlowControl): string[] => ofSpend.filter((name) => flowControl?.[name] != null);
