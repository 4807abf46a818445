import { AiDefaults, type AiOptions } from './ai/aiDefaults.ts';
import { checkedBaseUrl, checkedKey, checkedProject } from './configValues.ts';
import { HoldfastConfigError } from './errors.ts';
import { type FieldsOf, unknownField } from './knownFields.ts';

export interface ClientOptions {
  /**
   * The URL of the service, with http:// or https://. Default: `HOLDFAST_URL`, else
   * `http://127.0.0.1:4400`.
   */
  baseUrl?: string | undefined;
  /**
   * A secret key; a public key suffices for reads. Surrounding white space is ignored. Default:
   * `HOLDFAST_API_KEY`.
   */
  apiKey?: string | undefined;
  /** The id or name of the project. Required with a platform key; other keys ignore it. */
  project?: string | undefined;
  /** The app that owns the workflows and publishes the events. Default: `default`. */
  app?: string | undefined;
  /**
   * The secret that signs HTTP invokes. Default: the secret that `register` received, else
   * `HOLDFAST_INVOKE_SECRET`.
   */
  invokeSecret?: string | undefined;
  /**
   * Lets the service refuse fields and parameters that it does not know, by name, instead of
   * ignoring them. Default: false.
   */
  strict?: boolean | undefined;
  /** Defaults of the steps that call models. */
  ai?: AiOptions | undefined;
  /**
   * Receives the library's own messages: lost connections, failed registrations, rejected requests.
   * Default: the console, from `warn` up.
   */
  logger?: LibraryLogger | undefined;
}

export interface LibraryLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const consoleLogger: LibraryLogger = {
  info: () => {},
  warn: (message) => console.warn(message),
  error: (message) => console.error(message),
};

const optionFields: FieldsOf<ClientOptions> = {
  baseUrl: true,
  apiKey: true,
  project: true,
  app: true,
  invokeSecret: true,
  strict: true,
  ai: true,
  logger: true,
};

/** The service keeps signing with a rotated secret for this long. */
const overlapMs = 86_400_000;

/**
 * Options, with the environment as fallback. Read on use, since some platforms have no environment
 * at construction.
 */
export class Config {
  readonly app: string;
  readonly logger: LibraryLogger;
  readonly aiDefaults: AiDefaults;
  readonly #options: ClientOptions;
  #registered: { secret: string; sinceMs: number; before: string | undefined } | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.app = options.app ?? 'default';
    this.logger = options.logger ?? consoleLogger;
    this.aiDefaults = new AiDefaults(options.ai);
    this.warnOfUnknown('new Holdfast()', options, optionFields);
  }

  /**
   * Warns of the first unknown field that a call was given. Only a warning, because TypeScript
   * accepts further fields in a variable.
   */
  warnOfUnknown(call: string, options: object, known: Readonly<Record<string, true>>): void {
    const unknown = unknownField(options, known);
    if (unknown !== undefined) this.logger.warn(`holdfast: ${call} ${unknown}. The field has no effect.`);
  }

  /** Has no trailing slash. */
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

  /** The headers that identify the caller, on every transport. */
  get credentials(): Record<string, string> {
    const { project } = this.#options;
    return {
      authorization: `Bearer ${this.apiKey}`,
      ...(project !== undefined && project !== '' && { 'x-service-project': checkedProject(project) }),
    };
  }

  /** The headers of every call of REST. */
  get callHeaders(): Record<string, string> {
    return { ...this.credentials, ...(this.#options.strict === true && { 'x-strict': '1' }) };
  }

  get invokeSecret(): string | undefined {
    return this.#options.invokeSecret ?? this.#registered?.secret ?? process.env.HOLDFAST_INVOKE_SECRET;
  }

  /** The secrets that a signature may use: the current one and, for a day, its predecessor. */
  get invokeSecrets(): readonly string[] {
    const current = this.invokeSecret;
    if (current === undefined) return [];
    const { secret, sinceMs, before } = this.#registered ?? {};
    const overlaps = secret === current && sinceMs !== undefined && performance.now() - sinceMs < overlapMs;
    return overlaps && before !== undefined ? [current, before] : [current];
  }

  /**
   * Whether each pass replays its handler from the top, because `HOLDFAST_REPLAY` is `always`. For
   * tests, which are to find handlers whose steps vary between passes.
   */
  get alwaysReplays(): boolean {
    const replay = process.env.HOLDFAST_REPLAY;
    if (replay === undefined || replay === '') return false;
    if (replay === 'always') return true;
    throw new HoldfastConfigError(`HOLDFAST_REPLAY must be "always", or not set; it is ${JSON.stringify(replay)}`);
  }

  rememberInvokeSecret(secret: string): void {
    if (secret === this.#registered?.secret) return;
    this.#registered = { secret, sinceMs: performance.now(), before: this.#registered?.secret };
  }
}
