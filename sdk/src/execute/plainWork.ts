import { createHook } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { scope } from './scope.ts';

/**
 * Owns: a guess whether the handler waits for asynchronous work outside of steps: a timer, a
 * request, a file. JavaScript does not reveal what a promise waits for, so this class watches the
 * underlying resources. Bodies of steps are exempt.
 *
 * Does not own: the conclusions. A wrong guess costs time, never a step; see `Pass`.
 */
export class PlainWork {
  readonly #timers = new Set<Watched>();
  readonly #requests = new Set<object>();
  #startedAt: number | undefined;

  constructor() {
    startWatching();
  }

  /** When the handler last started such work, by `performance.now()`; undefined if never. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** Whether such work is visibly running. */
  get isBusy(): boolean {
    for (const timer of this.#timers) if (timer._destroyed === true) this.#timers.delete(timer);
    return this.#requests.size > 0 || [...this.#timers].some(holdsTheLoop);
  }

  sawResource(type: string, resource: object): void {
    this.#startedAt = performance.now();
    if (type === 'Timeout' || type === 'Immediate') this.#timers.add(resource);
  }

  sawRequest(request: object): void {
    this.#startedAt = performance.now();
    this.#requests.add(request);
    owners.set(request, this);
  }

  requestEnded(request: object): void {
    this.#requests.delete(request);
  }
}

/** Node marks a fired or cleared timer `_destroyed`. No public API tells. */
interface Watched {
  _destroyed?: boolean;
  hasRef?(): boolean;
}

/**
 * Ignores timers that do not keep the process alive: usually request timeouts, which nobody awaits.
 */
function holdsTheLoop(timer: Watched): boolean {
  return timer.hasRef?.() !== false;
}

const owners = new WeakMap<object, PlainWork>();
const uninteresting = new Set(['PROMISE', 'TickObject', 'Microtask']);
let isWatching = false;

const hooks = {
  // Only `init`: a `destroy` hook would make the engine track the collection of every promise.
  init(_asyncId: number, type: string, _triggerAsyncId: number, resource: object): void {
    if (uninteresting.has(type)) return;
    handlerWork()?.sawResource(type, resource);
  },
  /**
   * Node 24 and later need not call the hook for every promise; earlier versions ignore the option.
   */
  trackPromises: false,
};

function startWatching(): void {
  if (isWatching) return;
  isWatching = true;
  createHook(hooks).enable();
  for (const channel of ['undici:request:create', 'http.client.request.start']) {
    subscribe(channel, (message) => withRequest(message, (request) => handlerWork()?.sawRequest(request)));
  }
  for (const channel of [
    'undici:request:trailers',
    'undici:request:error',
    'http.client.response.finish',
    'http.client.request.error',
  ]) {
    subscribe(channel, (message) => withRequest(message, (request) => owners.get(request)?.requestEnded(request)));
  }
}

function handlerWork(): PlainWork | undefined {
  const here = scope.getStore();
  return here?.step === undefined ? here?.plainWork : undefined;
}

function withRequest(message: unknown, act: (request: object) => void): void {
  if (typeof message !== 'object' || message === null || !('request' in message)) return;
  if (typeof message.request === 'object' && message.request !== null) act(message.request);
}
