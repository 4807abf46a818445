/// <reference lib="esnext.disposable" preserve="true" />
// The line above goes into the declarations: whoever compiles against them may have a lib without
// `Disposable`.
import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { Api } from '../client/api.ts';
import { isPassing } from '../client/failures.ts';
import { isRegistered } from '../client/shapes.ts';
import type { Config } from '../config.ts';
import { language, runtime, sdkName, sdkVersion } from '../identity.ts';
import { isError } from '../isError.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkMaxInFlight } from '../maxInFlight.ts';
import { protocolVersion, type Registration, type RegistrationAnswer, type WireWorkflow } from '../protocol.ts';
import { checkMs, longestTimerMs } from '../timer.ts';

export interface RegisterOptions {
  /** Where the service reaches the handler of `serve`. */
  url: string;
  /** A stable id, so that runs can be pinned to this runner. Default: its URL. */
  runner?: string | undefined;
  /** Passes at once. Default 100; 100,000 are the most. */
  maxInFlight?: number | undefined;
  /** Where this runner runs, for views. */
  region?: string | undefined;
  /**
   * Milliseconds from one registration to the next; 0 for just one. Default: a minute; 24 days are
   * the most.
   */
  everyMs?: number | undefined;
}

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

  /** The service's name for this runner. */
  get runnerId(): string | undefined {
    return this.#answer?.runnerId;
  }

  /**
   * Registers, patiently where the service is not up yet. Throws what the service has against it.
   */
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

  /** Registers now. It may be done any number of times. */
  async registerOnce(): Promise<void> {
    const { body } = await this.#api.post('/register', isRegistered, { body: this.#registration });
    this.#answer = asDeclared<RegistrationAnswer>(body);
    this.#config.rememberInvokeSecret(this.#answer.invokeSecret);
  }

  /** Registers no more. The service lets the runner go once it no longer answers. */
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
      this.#config.logger.warn(`holdfast: could not register again: ${isError(cause) ? cause.message : cause}`);
    }
  }
}
