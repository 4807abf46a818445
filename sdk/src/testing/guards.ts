import { isError } from '../isError.ts';
import { MisuseError } from '../misuse.ts';
import { Cel, type CompiledGuard, MissingRe2, viewOf } from './cel.ts';
import { fakedValue } from './fakes.ts';

/** The event that a guard judges. */
export interface GuardEvent {
  readonly id: string;
  readonly name: string;
  readonly data?: unknown;
  /** RFC 3339, UTC. */
  readonly ts: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The run that a guard of `cancelOn` judges. */
export interface GuardRun {
  readonly id: string;
  readonly input: unknown;
  readonly tags?: Readonly<Record<string, string>>;
  readonly session?: string;
}

/** What a guard given as a function receives: the variables of CEL. */
export interface GuardScope {
  readonly event: GuardEvent;
  /** The event's data; null if it has none. */
  readonly data: unknown;
  /** Only of `cancelOn`. */
  readonly run?: GuardRun;
}

/** By the text of a guard: what it is to be instead of CEL. */
export type GuardFakes = Readonly<Record<string, boolean | ((scope: GuardScope) => boolean)>>;

type Known = CompiledGuard | { readonly fault: string };

const install = 'npm install --save-dev @marcbachmann/cel-js@8.0.0';
const installRe2 = 'npm install --save-dev @bufbuild/re2@0.6.1';

/** Guards of triggers, waits and cancellations. They are compiled before their first use. */
export class Guards {
  readonly #fakes: GuardFakes;
  readonly #known = new Map<string, Known>();
  #cel: Promise<Cel | undefined> | undefined;

  constructor(fakes: GuardFakes = {}) {
    this.#fakes = fakes;
  }

  /** Compiles guards that are in use. Rejects if they are CEL, and the library is not installed. */
  async prepare(sources: Iterable<string>, { withRun = false } = {}): Promise<void> {
    for (const source of sources) {
      const key = keyOf(source, withRun);
      if (Object.hasOwn(this.#fakes, source) || this.#known.has(key)) continue;
      this.#cel ??= Cel.load();
      const cel = await this.#cel;
      if (cel === undefined) throw new MisuseError(missing(source, '@marcbachmann/cel-js', install));
      this.#known.set(key, compiled(cel, source, withRun));
    }
  }

  /** Why a guard is none; undefined if it is one. */
  fault(source: string, { withRun = false } = {}): string | undefined {
    const known = this.#known.get(keyOf(source, withRun));
    return known !== undefined && 'fault' in known ? known.fault : undefined;
  }

  /** Whether a guard holds. False, too, if its evaluation fails, as on a missing field. */
  holds(source: string, event: GuardEvent, run?: GuardRun): boolean {
    const scope = { event, data: event.data ?? null, ...(run !== undefined && { run }) };
    if (Object.hasOwn(this.#fakes, source)) return fakedValue(this.#fakes[source], 1, scope) === true;
    const known = this.#known.get(keyOf(source, run !== undefined));
    if (typeof known !== 'function') return false;
    try {
      const variables = Object.entries(scope).map(([name, value]) => [name, viewOf(value)] as const);
      return known(Object.fromEntries(variables)) === true;
    } catch (cause) {
      if (isError(cause) && hasCause(cause, MissingRe2))
        throw new MisuseError(missing(source, '@bufbuild/re2', installRe2));
      return false;
    }
  }
}

const keyOf = (source: string, withRun: boolean): string => `${withRun ? 'run' : ''}\n${source}`;

function compiled(cel: Cel, source: string, withRun: boolean): Known {
  try {
    return cel.compile(source, { withRun });
  } catch (cause) {
    return { fault: isError(cause) ? (cause.message.split('\n')[0] ?? '') : 'CEL cannot be compiled' };
  }
}

function hasCause(error: Error, kind: typeof MissingRe2): boolean {
  if (error instanceof kind) return true;
  return isError(error.cause) && hasCause(error.cause, kind);
}

const missing = (source: string, library: string, command: string): string =>
  `the guard ${JSON.stringify(source)} needs ${library}, with which the service judges it: ${command}. ` +
  `Or give the guard as a function: guards: { ${JSON.stringify(source)}: ({ data }) => … }`;
