/** Things that come one after another, for a test that waits for the next that fits. */
export class Arrivals<Item> {
  readonly all: Item[] = [];
  readonly #unread: Item[] = [];
  readonly #waiting = new Set<{ fits: (item: Item) => boolean; resolve: (item: Item) => void }>();

  add(item: Item): void {
    this.all.push(item);
    for (const waiter of this.#waiting) {
      if (!waiter.fits(item)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve(item);
      return;
    }
    this.#unread.push(item);
  }

  /** The first matching arrival that was not taken yet. Waits for it, 10 s at most. */
  async next(fits: (item: Item) => boolean = () => true, what = 'an arrival'): Promise<Item> {
    const at = this.#unread.findIndex(fits);
    const [known] = at < 0 ? [] : this.#unread.splice(at, 1);
    if (known !== undefined) return known;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} did not come; so far: ${JSON.stringify(this.all)}`)), 10_000);
    });
    const arrival = new Promise<Item>((resolve) => this.#waiting.add({ fits, resolve }));
    try {
      return await Promise.race([arrival, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
