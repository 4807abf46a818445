import { type ASTNode, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { invalid } from '../errors.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import type { GuardEvent, GuardRun } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import { Budget, withBudget } from './budget.ts';
import { authorEnvironment, boundedEnvironment } from './environment.ts';
import { type Equality, necessaryEquality } from './equality.ts';
import { viewOf } from './jsonView.ts';
import { compilePattern, maxInstructionsTogether } from './pattern.ts';
import { childrenOf, loopMacros, rewriteBounded } from './rewrite.ts';

/** The ceilings of an expression (rulings 0). */
export type GuardLimits = Pick<EngineLimits, 'celSourceLength' | 'celNodes' | 'celDepth' | 'celMacroDepth' | 'celMs'>;

/** A compiled CEL guard on an event. */
export interface Guard {
  readonly source: string;
  /**
   * Whether the guard holds. Variables are `event` and `data` (the event's payload, or null). False
   * too if the evaluation fails, as on a missing field, or costs too much, which `onFault` hears.
   * Never throws, and never takes long. A guard `withRun` also has the variable `run`.
   */
  evaluate(event: GuardEvent, onFault?: OnFault, run?: GuardRun): boolean;
  /** An equality that every passing event satisfies, if the guard has one. An index can use it. */
  equality(): Equality | undefined;
}

/** Called once if a guard is false for a reason that its author should know. */
export type OnFault = (reason: string) => void;

/**
 * Compiles a guard. Throws `invalid`, in words for its author, if it does not parse or type-check,
 * or is no condition. The same for characters that a column cannot hold, and beyond a ceiling:
 * length, nodes, depth, nested loops, size of patterns. A guard `withRun` may read the `run`.
 */
export function compileGuard(source: string, limits: GuardLimits, { withRun = false } = {}): Guard {
  if (source.length > limits.celSourceLength) throw invalid(`CEL is longer than ${limits.celSourceLength} characters`);
  if (hasUnsupportedCharacter(source)) throw invalid('CEL has an unsupported character');
  const parsed = parse(source, limits, withRun);
  checkTree(parsed.ast, limits, 0);
  checkPatterns(parsed.ast);
  checkType(parsed);
  return new CompiledGuard(source, parsed.ast, limits);
}

class CompiledGuard implements Guard {
  readonly source: string;
  readonly #ast: ASTNode;
  readonly #budgetMs: number;
  readonly #run: ParseResult;

  constructor(source: string, ast: ASTNode, limits: GuardLimits) {
    this.source = source;
    this.#ast = ast;
    this.#budgetMs = limits.celMs;
    this.#run = boundedEnvironment.parse(rewriteBounded(ast));
  }

  evaluate(event: GuardEvent, onFault?: OnFault, run?: GuardRun): boolean {
    const budget = new Budget(this.#budgetMs);
    const holds = withBudget(budget, () => this.#holds(event, run));
    if (!budget.exceeded) return holds;
    onFault?.(`costs more than ${this.#budgetMs} ms`);
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

function contextOf({ id, name, ts, data, tags, session, headers }: GuardEvent): Record<string, unknown> {
  const event: Record<string, unknown> = { id, name, ts };
  if (data !== undefined) event['data'] = data;
  if (tags !== undefined) event['tags'] = tags;
  if (session !== undefined) event['session'] = session;
  if (headers !== undefined) event['headers'] = headers;
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

/** Limits the nesting of loops, whose costs multiply. */
function checkTree(node: ASTNode, limits: GuardLimits, loops: number): void {
  if (node.op !== 'rcall' || !loopMacros.has(node.args[0])) {
    for (const child of childrenOf(node)) checkTree(child, limits, loops);
    return;
  }
  const [, receiver, args] = node.args;
  if (loops >= limits.celMacroDepth) throw invalid(`CEL nests macros deeper than ${limits.celMacroDepth}`);
  checkTree(receiver, limits, loops);
  for (const arg of args) checkTree(arg, limits, loops + 1);
}

/** Compiles literal patterns now, to report their errors, and limits their size together. */
function checkPatterns(guard: ASTNode): void {
  let instructions = 0;
  for (const pattern of new Set(literalPatterns(guard))) {
    instructions += compiled(pattern);
    if (instructions > maxInstructionsTogether)
      throw invalid(`CEL has patterns that compile to more than ${maxInstructionsTogether} instructions together`);
  }
}

function* literalPatterns(node: ASTNode): Iterable<string> {
  if ((node.op === 'rcall' || node.op === 'call') && node.args[0] === 'matches') {
    const pattern = (node.op === 'rcall' ? node.args[2] : node.args[1]).at(-1);
    if (pattern?.op === 'value' && typeof pattern.args === 'string') yield pattern.args;
  }
  for (const child of childrenOf(node)) yield* literalPatterns(child);
}

function compiled(pattern: string): number {
  try {
    return compilePattern(pattern).instructions;
  } catch (error) {
    throw invalid(`CEL has a bad pattern: ${error instanceof Error ? error.message : 'malformed'}`);
  }
}
