/** Hears when a handler begins to await an unsettled step, and when that step settles. */
export interface AwaitListener {
  began(): void;
  ended(): void;
}

/**
 * The promise of a step. Reports when the handler awaits it, because a pass ends only while its
 * handler awaits steps. All steps have this form, saved ones too: consumers of one promise continue
 * in the same order, whether a handler is replayed or continued.
 */
export class StepPromise<T> extends Promise<T> {
  #listener: AwaitListener | undefined;
  #isAwaited = false;
  #resolve: (value: T) => void = () => {};
  #reject: (cause: unknown) => void = () => {};

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static start<T>(listener: AwaitListener): StepPromise<T> {
    let settle: { resolve: (value: T) => void; reject: (cause: unknown) => void } | undefined;
    const promise = new StepPromise<T>((resolve, reject) => {
      settle = { resolve, reject };
    });
    promise.#listener = listener;
    if (settle !== undefined) {
      promise.#resolve = settle.resolve;
      promise.#reject = settle.reject;
    }
    return promise;
  }

  /** Settles with what `read` returns or throws. */
  settle(read: () => T): void {
    if (this.#isAwaited) this.#listener?.ended();
    this.#listener = undefined;
    try {
      this.#resolve(read());
    } catch (cause) {
      // A rejection that the handler ignores must not end the process.
      super.then(undefined, () => {});
      this.#reject(cause);
    }
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaited is what this class is there to notice.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (!this.#isAwaited && this.#listener !== undefined) {
      this.#isAwaited = true;
      this.#listener.began();
    }
    return super.then(onFulfilled, onRejected);
  }
}
