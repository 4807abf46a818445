import { isError } from '../isError.ts';
import { asDeclared } from '../json/asDeclared.ts';

/** A compiled guard. Throws if its evaluation fails. */
export type CompiledGuard = (variables: Record<string, unknown>) => unknown;

/** The parts of `@marcbachmann/cel-js` that guards need, which is there only if it is installed. */
interface Environment {
  registerVariable(name: string, type: string): Environment;
  registerFunction(signature: string, handler: (...args: never[]) => unknown, options: { async: false }): Environment;
  registerOperator(signature: string, handler: (a: never, b: never) => unknown): Environment;
  parse(source: string): CompiledGuard & {
    check(): { valid: boolean; type?: string; error?: { summary?: string } };
  };
}

interface CelModule {
  Environment: new (options: { homogeneousAggregateLiterals: boolean; limits: object }) => Environment;
}

interface Re2Module {
  RE2JS: new (source: string) => { test(text: string): boolean };
}

/** Guards in CEL, with the functions and the arithmetic of the service. */
export class Cel {
  readonly #plain: Environment;
  readonly #withRun: Environment;

  private constructor(cel: CelModule, re2: Re2Module | undefined) {
    this.#plain = environmentOf(cel, re2);
    this.#withRun = environmentOf(cel, re2).registerVariable('run', 'dyn');
  }

  /** Undefined if the library is not installed. */
  static async load(): Promise<Cel | undefined> {
    const cel = await installed<CelModule>('@marcbachmann/cel-js');
    return cel && new Cel(cel, await installed<Re2Module>('@bufbuild/re2'));
  }

  /** Throws an error whose message says why the guard is none. */
  compile(source: string, { withRun }: { withRun: boolean }): CompiledGuard {
    if (source.length > sourceLimit) throw new Error(`CEL is longer than ${sourceLimit} characters`);
    const parsed = parse(withRun ? this.#withRun : this.#plain, source);
    const { valid, type, error } = parsed.check();
    if (!valid) throw new Error(`CEL is not valid: ${error?.summary ?? 'type error'}`);
    if (type !== 'bool' && type !== 'dyn') throw new Error(`CEL must be a condition, not of type ${type}`);
    return (variables) => parsed(variables);
  }
}

/** The ceilings of the service. */
const sourceLimit = 2000;
const limits = { maxAstNodes: 500, maxDepth: 20 };

function parse(environment: Environment, source: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(source);
  } catch (cause) {
    const [reason = ''] = isError(cause) ? cause.message.split('\n') : [];
    throw new Error(`CEL does not parse: ${reason}`);
  }
}

async function installed<Module>(name: string): Promise<Module | undefined> {
  try {
    return asDeclared<Module>(await import(name));
  } catch (cause) {
    if (isError(cause) && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw cause;
  }
}

function environmentOf({ Environment }: CelModule, re2: Re2Module | undefined): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits });
  environment.registerVariable('event', 'dyn').registerVariable('data', 'dyn');
  // Patterns of the service are RE2, in which JavaScript's would differ.
  const matches = (text: string, pattern: string): boolean => {
    if (re2 === undefined) throw new MissingRe2();
    return new re2.RE2JS(pattern).test(text);
  };
  environment.registerFunction('matches(string, string): bool', matches, { async: false });
  const seconds = (at: Date): bigint => BigInt(Math.floor(at.getTime() / 1000));
  environment.registerFunction('int(google.protobuf.Timestamp): int', seconds, { async: false });
  registerMixedArithmetic(environment);
  return environment;
}

/** A guard calls `matches`, and the library for its patterns is not installed. */
export class MissingRe2 extends Error {}

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
    environment.registerOperator(`double ${operator} int: double`, handler);
    environment.registerOperator(`int ${operator} double: double`, handler);
  }
  environment.registerOperator('double % double', (a: number, b: number) => a % b);
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint are equal by value only so.
  const equals = (a: number | bigint, b: number | bigint): boolean => a == b;
  environment.registerOperator('double == int', equals);
}

/** JSON as CEL sees it: objects become maps, so that no key is looked up on a prototype. */
export function viewOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(viewOf);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, each]) => [key, viewOf(each)]));
}
