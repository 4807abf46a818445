/** The bytes of one body that is arriving. */
export interface ArrivingBody {
  /** Counts further bytes. */
  grow(bytes: number): void;
  /** The body has arrived or was given up. Idempotent. */
  leave(): void;
}

interface Body {
  bytes: number;
  refuse(): void;
}

/**
 * Limits the memory of all bodies that are arriving in this process. Beyond the limit, the body
 * that has been arriving for the longest time is refused. So callers who send slowly cannot keep
 * out others.
 */
export class BodyRoom {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #bodies = new Set<Body>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Adds a body. `refuse` is called at most once, and then the body counts no more. */
  enter(refuse: () => void): ArrivingBody {
    const body: Body = { bytes: 0, refuse };
    this.#bodies.add(body);
    return {
      grow: (bytes) => {
        if (!this.#bodies.has(body)) return;
        body.bytes += bytes;
        this.#heldBytes += bytes;
        this.#makeRoom();
      },
      leave: () => this.#remove(body),
    };
  }

  #makeRoom(): void {
    for (const oldest of this.#bodies) {
      if (this.#heldBytes <= this.#maxBytes) return;
      this.#remove(oldest);
      oldest.refuse();
    }
  }

  #remove(body: Body): void {
    if (this.#bodies.delete(body)) this.#heldBytes -= body.bytes;
  }
}
