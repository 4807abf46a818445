/** Lets one waiter sleep until there is something to do. A call while nobody waits is remembered. */
export class Latch {
  #isOpen = false;
  #release: (() => void) | undefined;

  wait(): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  open(): void {
    const release = this.#release;
    this.#release = undefined;
    if (release) release();
    else this.#isOpen = true;
  }
}
