import { countText } from '../../design/formatTime.ts';
import { dollarText } from '../../design/money.ts';

interface ScopeLike {
  inUse: number;
  limit: number;
  waiting: number;
}

/** The fullest scopes first; of equally full ones, those in which more runs wait. */
export const fullestFirst = <S extends ScopeLike>(scopes: readonly S[]): S[] =>
  [...scopes].sort((a, b) => share(b) - share(a) || b.waiting - a.waiting);

const share = ({ inUse, limit }: ScopeLike): number => (limit > 0 ? inUse / limit : 0);

export interface BudgetLike {
  cost: number | null;
  tokens: number;
  maxCost: number | null;
  maxTokens: number | null;
  paused: number;
}

export interface BudgetBar {
  what: 'cost' | 'tokens';
  value: number;
  limit: number;
  format: (value: number) => string;
}

/** The bars of a budget: one for each of its limits. */
export function barsOf({ cost, tokens, maxCost, maxTokens }: BudgetLike): BudgetBar[] {
  return [
    ...(maxCost === null ? [] : [{ what: 'cost', value: cost ?? 0, limit: maxCost, format: dollarText } as const]),
    ...(maxTokens === null ? [] : [{ what: 'tokens', value: tokens, limit: maxTokens, format: countText } as const]),
  ];
}

/** The most spent budgets first. */
export const tightestFirst = <B extends BudgetLike>(budgets: readonly B[]): B[] =>
  [...budgets].sort((a, b) => spentShare(b) - spentShare(a));

const spentShare = (budget: BudgetLike): number =>
  Math.max(0, ...barsOf(budget).map(({ value, limit }) => (limit > 0 ? value / limit : 0)));

export interface ShedLike {
  matched: number;
  deduped: number;
  skipped: number;
  dropped: number;
  debounced: number;
  batched: number;
}

/** Starts that the gates withheld for good, and those that they gathered. */
export const withheld = ({ deduped, skipped, dropped }: ShedLike): number => deduped + skipped + dropped;

/** Workflows with something withheld or gathered, the most withheld first. */
export const shedRows = <S extends ShedLike>(rows: readonly S[]): S[] =>
  rows
    .filter((row) => withheld(row) + row.debounced + row.batched > 0)
    .sort((a, b) => withheld(b) - withheld(a) || b.matched - a.matched);

type Lists = Record<
  'scopes' | 'throttle' | 'tokenThrottle' | 'buffers' | 'singletons' | 'budgets' | 'inference',
  readonly unknown[]
>;

/** Whether no limit holds anything, nor shows its room. */
export const isIdle = (state: Lists): boolean =>
  [
    ...[state.scopes, state.throttle, state.tokenThrottle, state.buffers],
    ...[state.singletons, state.budgets, state.inference],
  ].every((list) => list.length === 0);

interface HeldBack {
  scopes: readonly { waiting: number }[];
  throttle: readonly { delayed: number }[];
  buffers: readonly unknown[];
  budgets: readonly { paused: number }[];
}

/** How many runs and starts limits hold back now. */
export const heldBack = ({ scopes, throttle, buffers, budgets }: HeldBack): number =>
  scopes.reduce((sum, { waiting }) => sum + waiting, 0) +
  throttle.reduce((sum, { delayed }) => sum + delayed, 0) +
  budgets.reduce((sum, { paused }) => sum + paused, 0) +
  buffers.length;
