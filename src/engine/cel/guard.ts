import { type ASTNode, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { invalid } from '../errors.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import type { GuardEvent, GuardRun } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import { Budget, withBudget } from './budget.ts';
import { authorEnvironment, boundedEnvironment } from './environment.ts';
import { type Equality, necessaryEquality } from './equality.ts';
import { viewOf } from './jsonView.ts';
import { compilePattern } from './pattern.ts';
import { childrenOf, loopMacros, rewriteBounded } from './rewrite.ts';

/** The ceilings of an expression (rulings 0). */
export type GuardLimits = Pick<EngineLimits, 'celSourceLength' | 'celNodes' | 'celDepth' | 'celMacroDepth' | 'celMs'>;

/** A compiled CEL guard on an event. */
export interface Guard {
  readonly source: string;
  /**
   * Whether the guard holds. Variables are `event` and `data` (the event's payload, or null). False
   * too if the evaluation fails, as on a missing field, or costs too much. Never throws, and never
   * takes long.
   */
  evaluate(event: GuardEvent): boolean;
  /** An equality that every passing event satisfies, if the guard has one. An index can use it. */
  equality(): Equality | undefined;
}

/** A compiled guard on an event and a run: with the variable `run`, otherwise as a `Guard`. */
export interface RunGuard {
  evaluate(event: GuardEvent, run: GuardRun): boolean;
}

/** Called once for each evaluation that exceeded its budget. */
export type OnExpensive = (reason: string) => void;

/**
 * Compiles a guard. Throws `invalid`, in words for its author, if it does not parse or type-check,
 * or is no condition. The same for characters that a column cannot hold, and beyond a ceiling:
 * length, nodes, depth, nested loops, size of patterns.
 */
export function compileGuard(source: string, limits: GuardLimits, onExpensive?: OnExpensive): Guard {
  return compile(source, limits, { withRun: false, onExpensive });
}

/** The same, for a guard that may also read the `run`. */
export function compileRunGuard(source: string, limits: GuardLimits, onExpensive?: OnExpensive): RunGuard {
  return compile(source, limits, { withRun: true, onExpensive });
}

interface Use {
  withRun: boolean;
  onExpensive: OnExpensive | undefined;
}

function compile(source: string, limits: GuardLimits, { withRun, onExpensive }: Use): CompiledGuard {
  if (source.length > limits.celSourceLength) throw invalid(`CEL is longer than ${limits.celSourceLength} characters`);
  if (hasUnsupportedCharacter(source)) throw invalid('CEL has an unsupported character');
  const parsed = parse(source, limits, withRun);
  checkTree(parsed.ast, limits, 0);
  checkType(parsed);
  return new CompiledGuard(source, parsed.ast, limits, onExpensive);
}

class CompiledGuard implements Guard {
  readonly source: string;
  readonly #ast: ASTNode;
  readonly #budgetMs: number;
  readonly #onExpensive: OnExpensive | undefined;
  readonly #run: ParseResult;

  constructor(source: string, ast: ASTNode, limits: GuardLimits, onExpensive: OnExpensive | undefined) {
    this.source = source;
    this.#ast = ast;
    this.#budgetMs = limits.celMs;
    this.#onExpensive = onExpensive;
    this.#run = boundedEnvironment.parse(rewriteBounded(ast));
  }

  evaluate(event: GuardEvent, run?: GuardRun): boolean {
    const budget = new Budget(this.#budgetMs);
    const holds = withBudget(budget, () => this.#holds(event, run));
    if (!budget.exceeded) return holds;
    this.#onExpensive?.(`costs more than ${this.#budgetMs} ms`);
    return false;
  }

  equality(): Equality | undefined {
    return necessaryEquality(this.#ast);
  }

  #holds(event: GuardEvent, run: GuardRun | undefined): boolean {
    try {
      return this.#run({ ...contextOf(event), ...(run && { run: viewOf(present(run)) }) }) === true;
    } catch {
      return false;
    }
  }
}

/** Absent fields are missing, as those of an event. */
const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function contextOf({ id, name, ts, data, tags, session }: GuardEvent): Record<string, unknown> {
  const event: Record<string, unknown> = { id, name, ts };
  if (data !== undefined) event['data'] = data;
  if (tags !== undefined) event['tags'] = tags;
  if (session !== undefined) event['session'] = session;
  return { event: viewOf(event), data: data === undefined ? null : viewOf(data) };
}

function parse(source: string, limits: GuardLimits, withRun: boolean): ParseResult {
  try {
    return authorEnvironment(limits, withRun).parse(source);
  } catch (error) {
    throw invalid(parseReason(error, limits));
  }
}

function parseReason(error: unknown, limits: GuardLimits): string {
  if (!(error instanceof ParseError)) return 'CEL cannot be parsed';
  if (error.code === 'limit_exceeded') {
    if (error.summary.includes('maxAstNodes')) return `CEL has more than ${limits.celNodes} nodes`;
    if (error.summary.includes('maxDepth')) return `CEL is nested deeper than ${limits.celDepth} levels`;
  }
  const position = error.range ? ` at character ${error.range.start + 1}` : '';
  return `CEL does not parse: ${error.summary}${position}`;
}

function checkType(parsed: ParseResult): void {
  const { valid, type, error } = parsed.check();
  if (!valid) throw invalid(`CEL is not valid: ${error?.summary ?? 'type error'}`);
  if (type !== 'bool' && type !== 'dyn') throw invalid(`CEL must be a condition, not of type ${type}`);
}

/**
 * Limits the nesting of loops, whose costs multiply. Compiles literal patterns now, to report their
 * errors.
 */
function checkTree(node: ASTNode, limits: GuardLimits, loops: number): void {
  checkPattern(node);
  if (node.op !== 'rcall' || !loopMacros.has(node.args[0])) {
    for (const child of childrenOf(node)) checkTree(child, limits, loops);
    return;
  }
  const [, receiver, args] = node.args;
  if (loops >= limits.celMacroDepth) throw invalid(`CEL nests macros deeper than ${limits.celMacroDepth}`);
  checkTree(receiver, limits, loops);
  for (const arg of args) checkTree(arg, limits, loops + 1);
}

function checkPattern(node: ASTNode): void {
  if (node.op !== 'rcall' && node.op !== 'call') return;
  if (node.args[0] !== 'matches') return;
  const args = node.op === 'rcall' ? node.args[2] : node.args[1];
  const pattern = args.at(-1);
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return;
  try {
    compilePattern(pattern.args);
  } catch (error) {
    throw invalid(`CEL has a bad pattern: ${error instanceof Error ? error.message : 'malformed'}`);
  }
}
