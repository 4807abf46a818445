/// <reference lib="esnext.disposable" preserve="true" />
// Copied into the declarations, because a user's `lib` may lack `Disposable`.
import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { Api } from '../client/api.ts';
import { isPassing } from '../client/failures.ts';
import { isRegistered } from '../client/shapes.ts';
import type { Config } from '../config.ts';
import { language, runtime, sdkName, sdkVersion } from '../identity.ts';
import { isError } from '../isError.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkMaxInFlight } from '../maxInFlight.ts';
import { protocolVersion, type Registration, type RegistrationAnswer, type WireWorkflow } from '../protocol.ts';
import { checkMs, longestTimerMs } from '../timer.ts';

export interface RegisterOptions {
  /** The URL at which the service reaches the handler of `serve`. */
  url: string;
  /** A stable id, so that runs can be pinned to this runner. Default: its URL. */
  runner?: string | undefined;
  /** Passes to execute at once, at most 100,000. Default: 100. */
  maxInFlight?: number | undefined;
  /** The region of this runner, shown in views. */
  region?: string | undefined;
  /** Milliseconds between registrations, at most 24 days; 0 registers once. Default: a minute. */
  everyMs?: number | undefined;
}

const optionFields: FieldsOf<RegisterOptions> = {
  url: true,
  runner: true,
  maxInFlight: true,
  region: true,
  everyMs: true,
};

const firstAttempts = 5;
const backoff: Backoff = { firstMs: 200, maxMs: 5_000 };

/** Keeps an HTTP runner registered. Its timer does not keep the process alive. */
export class Registrar implements Disposable {
  readonly #config: Config;
  readonly #api: Api;
  readonly #registration: Registration;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #answer: RegistrationAnswer | undefined;

  constructor(config: Config, api: Api, workflows: WireWorkflow[], options: RegisterOptions) {
    this.#config = config;
    config.warnOfUnknown('register()', options, optionFields);
    this.#api = api;
    this.#everyMs = Math.min(checkMs('everyMs', options.everyMs ?? 60_000), longestTimerMs);
    this.#registration = {
      app: config.app,
      url: options.url,
      ...(options.runner !== undefined && { runner: options.runner }),
      ...(options.maxInFlight !== undefined && { maxInFlight: checkMaxInFlight(options.maxInFlight) }),
      ...(options.region !== undefined && { region: options.region }),
      runtime,
      language,
      framework: 'http',
      sdkName,
      version: sdkVersion,
      protocolVersion,
      workflows,
    };
  }

  /** The id that the service gave this runner. */
  get runnerId(): string | undefined {
    return this.#answer?.runnerId;
  }

  /** Registers, and retries while the service is starting. Throws the service's refusal. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.registerOnce();
        break;
      } catch (cause) {
        if (attempt >= firstAttempts || !isPassing(cause)) throw cause;
      }
      await pause(backoffMs(attempt - 1, backoff));
    }
    if (this.#everyMs > 0) this.#timer = setInterval(() => void this.#again(), this.#everyMs).unref();
  }

  /** Registers now. Idempotent. */
  async registerOnce(): Promise<void> {
    const { body } = await this.#api.post('/register', isRegistered, { body: this.#registration });
    this.#answer = asDeclared<RegistrationAnswer>(body);
    this.#config.rememberInvokeSecret(this.#answer.invokeSecret);
  }

  /** Stops registering. The service drops the runner when it no longer answers. */
  close(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #again(): Promise<void> {
    try {
      await this.registerOnce();
    } catch (cause) {
      this.#config.logger.warn(`holdfast: repeated registration failed: ${isError(cause) ? cause.message : cause}`);
    }
  }
}
