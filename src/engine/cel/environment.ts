import { Environment } from '@marcbachmann/cel-js';
import type { EngineLimits } from '../settings.ts';
import { spend } from './budget.ts';
import { equals, isIn } from './equals.ts';
import { matches, matchesLiteral } from './pattern.ts';

/**
 * Functions that only rewritten guards call. The trailing underscore separates them from those of
 * authors, who cannot call them.
 */
export const bounded = {
  equals: 'eq_',
  isIn: 'in_',
  matches: 'matches_',
  matchesLiteral: 'matchesLiteral_',
  contains: 'contains_',
  /** Charges for reading a text this many times. */
  touch: 'touch_',
  /** Charges for copying a text, or a list with its texts. */
  copy: 'copy_',
  /** Charges a fixed price. */
  toll: 'toll_',
  /** Charges for a loop over a list, or over the keys of a map. */
  range: 'range_',
} as const;

type EnvironmentLimits = Pick<EngineLimits, 'celNodes' | 'celDepth'>;

const environments = {
  withRun: new WeakMap<EnvironmentLimits, Environment>(),
  plain: new WeakMap<EnvironmentLimits, Environment>(),
};

/**
 * The language of authors. Guards are parsed and type-checked here, but never evaluated. With
 * `withRun` they may read the variable `run`.
 */
export function authorEnvironment(limits: EnvironmentLimits, withRun = false): Environment {
  const made = environments[withRun ? 'withRun' : 'plain'];
  const known = made.get(limits);
  if (known) return known;
  const environment = createEnvironment({ maxAstNodes: limits.celNodes, maxDepth: limits.celDepth });
  if (withRun) environment.registerVariable('run', 'dyn');
  made.set(limits, environment);
  return environment;
}

function createEnvironment(limits: { maxAstNodes: number; maxDepth: number }): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits });
  environment.registerVariable('event', 'dyn').registerVariable('data', 'dyn');
  environment.registerFunction('matches(string, string): bool', matches, { async: false });
  environment.registerFunction(
    'int(google.protobuf.Timestamp): int',
    (at: Date) => BigInt(Math.floor(at.getTime() / 1000)),
    { async: false },
  );
  registerMixedArithmetic(environment);
  return environment;
}

/** JSON numbers are doubles and plain literals are ints, but `data.n + 1` must work. */
function registerMixedArithmetic(environment: Environment): void {
  const operators: Record<string, (a: number, b: number) => number> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
  };
  for (const [operator, apply] of Object.entries(operators)) {
    const handler = (a: number | bigint, b: number | bigint): number => apply(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int`, handler);
    environment.registerOperator(`int ${operator} double`, handler);
  }
  environment.registerOperator('double % double', (a: number, b: number) => a % b);
}

/**
 * The environment of rewritten guards. The author's source was limited. The rewritten one is
 * deeper.
 */
export const boundedEnvironment: Environment = createBoundedEnvironment();

function createBoundedEnvironment(): Environment {
  const environment = createEnvironment({ maxAstNodes: 100_000, maxDepth: 10_000 });
  environment.registerVariable('run', 'dyn');
  const register = (signature: string, handler: (...args: never[]) => unknown): void => {
    environment.registerFunction(signature, handler, { async: false });
  };
  register(`${bounded.equals}(dyn, dyn): bool`, equals);
  register(`${bounded.isIn}(dyn, dyn): bool`, isIn);
  register(`${bounded.matches}(string, string): bool`, matches);
  register(`${bounded.matchesLiteral}(string, string): bool`, matchesLiteral);
  register(`${bounded.contains}(string, string): bool`, contains);
  register(`${bounded.touch}(dyn, int): dyn`, touch);
  register(`${bounded.copy}(dyn): dyn`, copy);
  register(`${bounded.toll}(dyn, int): dyn`, toll);
  register(`${bounded.range}(dyn, int): dyn`, range);
  return environment;
}

function contains(text: string, part: string): boolean {
  // The worst case of a search is quadratic.
  spend(1 + text.length / 64 + (text.length * part.length) / 1000);
  return text.includes(part);
}

function touch(value: unknown, times: bigint): unknown {
  spend(1 + textUnits(value) * Number(times));
  return value;
}

function copy(value: unknown): unknown {
  if (!Array.isArray(value)) return touch(value, 1n);
  spend(1 + value.length);
  for (const element of value) spend(textUnits(element));
  return value;
}

function toll(value: unknown, price: bigint): unknown {
  spend(Number(price));
  return value;
}

/**
 * `nodes` is the cost of the loop's body per visit. The loop is charged before it starts, so it
 * cannot exceed the budget.
 */
function range(value: unknown, nodes: bigint): unknown {
  const items = value instanceof Map ? [...value.keys()] : value;
  if (Array.isArray(items)) spend(items.length * Number(nodes));
  return items;
}

function textUnits(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length / 64 : 0;
}
