/**
 * The promise of a step that does not settle in this pass. Reports when the handler begins to await
 * it, because a pass ends only while its handler awaits steps.
 */
export class Parked<T> extends Promise<T> {
  #onAwait: (() => void) | undefined;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static start<T>(onAwait: () => void): Parked<T> {
    const parked = new Parked<T>(() => {});
    parked.#onAwait = onAwait;
    return parked;
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaited is what this class is there to notice.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#onAwait?.();
    this.#onAwait = undefined;
    return super.then(onFulfilled, onRejected);
  }
}
