/** Times of a process that beats while it holds leases, in ms. */
export interface BeatTimes {
  /** How often it renews its heartbeat. */
  beatMs: number;
  /** The silence after which others free its leases. One beat may be lost. */
  silenceMs: number;
}

export const beatTimes: BeatTimes = { beatMs: 2_500, silenceMs: 6_000 };

/**
 * How long a process looks at the others without a gap before it finds any of them dead, in ms.
 * After an outage of the database all have beaten again by then, even if one beat was lost.
 */
const judgeGraceMs = 4_500;

/** The longest time between two looks that is no gap, in ms. */
const gapMs = beatTimes.silenceMs - beatTimes.beatMs;

/** Tells whether a process has watched the others for long enough to find them dead. */
export class Vigil {
  #sinceMs: number | undefined;
  #lastMs = 0;

  /** A look at the others that was answered at this instant. Returns whether it may judge. */
  look(now: Date): boolean {
    const nowMs = now.getTime();
    const hasGap = nowMs - this.#lastMs > gapMs || nowMs < this.#lastMs;
    if (this.#sinceMs === undefined || hasGap) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
    return nowMs - this.#sinceMs >= judgeGraceMs;
  }
}
