/** The records of a page about itself since it was opened, or since the last reset. */
export interface Recorded {
  /** When each wanted sight was there first, in ms after the navigation. */
  seen: Record<string, number>;
  /** Times between frames, in ms. */
  frames: number[];
  /** Durations of tasks over 50 ms. */
  tasks: number[];
  hiddenAt: number;
}

/** An expression that is true once the sight is there. It runs in each frame. */
export type Sights = Readonly<Record<string, string>>;

export const isThere = (selector: string): string => `document.querySelector(${JSON.stringify(selector)}) !== null`;

/**
 * A script for the page, run before the page's own. It looks for sights once in each frame, so a
 * sight counts when it can be painted.
 */
export const recorder = (sights: Sights): string => `
  (() => {
    const sights = {${Object.entries(sights)
      .map(([name, expression]) => `${JSON.stringify(name)}: () => ${expression}`)
      .join(', ')}};
    const bench = globalThis.bench = { seen: {}, frames: [], tasks: [], reset() { this.frames = []; this.tasks = []; } };
    let last;
    const look = (at) => {
      if (last !== undefined) bench.frames.push(at - last);
      last = at;
      for (const [name, isThere] of Object.entries(sights))
        if (!(name in bench.seen) && document.body && isThere()) bench.seen[name] = performance.now();
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    new PerformanceObserver((list) => bench.tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ entryTypes: ['longtask'] });
  })();`;
