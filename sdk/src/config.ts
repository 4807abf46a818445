import { checkedBaseUrl, checkedKey, checkedProject } from './configValues.ts';
import { HoldfastConfigError } from './errors.ts';

export interface ClientOptions {
  /**
   * Where the service answers, with http:// or https://. Default: `HOLDFAST_URL`, else
   * `http://127.0.0.1:4400`.
   */
  baseUrl?: string | undefined;
  /**
   * A secret key; a public one suffices for reads. White space around it does not count. Default:
   * `HOLDFAST_API_KEY`.
   */
  apiKey?: string | undefined;
  /**
   * The id or name of the project to act for, which a platform key must name; empty: none. Others
   * ignore it: they belong to one.
   */
  project?: string | undefined;
  /** The app that the workflows belong to and that events are published by. Default: `default`. */
  app?: string | undefined;
  /**
   * Keys the signatures of HTTP invokes. Default: what `register` was given, else
   * `HOLDFAST_INVOKE_SECRET`.
   */
  invokeSecret?: string | undefined;
  /**
   * Where the library itself speaks: lost connections, failed registrations, requests that cannot
   * be served. Default: the console, from `warn` up.
   */
  logger?: LibraryLogger | undefined;
}

export interface LibraryLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Where the library speaks unless told otherwise. */
export const consoleLogger: LibraryLogger = {
  info: () => {},
  warn: (message) => console.warn(message),
  error: (message) => console.error(message),
};

/** As long as the service goes on signing with a secret that was rotated. */
const overlapMs = 86_400_000;

/**
 * Options with the environment behind them. Read when needed: some places have no environment at
 * construction.
 */
export class Config {
  readonly app: string;
  readonly logger: LibraryLogger;
  readonly #options: ClientOptions;
  #registered: { secret: string; sinceMs: number; before: string | undefined } | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.app = options.app ?? 'default';
    this.logger = options.logger ?? consoleLogger;
  }

  /** Without a slash at its end. */
  get baseUrl(): string {
    return checkedBaseUrl(this.#options.baseUrl ?? process.env.HOLDFAST_URL ?? 'http://127.0.0.1:4400');
  }

  get apiKey(): string {
    const key = this.#options.apiKey ?? process.env.HOLDFAST_API_KEY;
    if (key === undefined || key === '') {
      throw new HoldfastConfigError('an API key is needed: pass apiKey to new Holdfast(), or set HOLDFAST_API_KEY');
    }
    return checkedKey(key);
  }

  /** The headers that say who calls, over every transport. */
  get credentials(): Record<string, string> {
    const { project } = this.#options;
    return {
      authorization: `Bearer ${this.apiKey}`,
      ...(project !== undefined && project !== '' && { 'x-service-project': checkedProject(project) }),
    };
  }

  get invokeSecret(): string | undefined {
    return this.#options.invokeSecret ?? this.#registered?.secret ?? process.env.HOLDFAST_INVOKE_SECRET;
  }

  /**
   * Those that a signature may be made with: the current one, and for a day the one that `register`
   * was given before it.
   */
  get invokeSecrets(): readonly string[] {
    const current = this.invokeSecret;
    if (current === undefined) return [];
    const { secret, sinceMs, before } = this.#registered ?? {};
    const overlaps = secret === current && sinceMs !== undefined && performance.now() - sinceMs < overlapMs;
    return overlaps && before !== undefined ? [current, before] : [current];
  }

  rememberInvokeSecret(secret: string): void {
    if (secret === this.#registered?.secret) return;
    this.#registered = { secret, sinceMs: performance.now(), before: this.#registered?.secret };
  }
}
