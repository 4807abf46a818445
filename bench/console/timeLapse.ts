/**
 * A script for the page, run before the page's own: its clock and its timers run `lapse` times
 * faster. So hours of polls, countdowns and ages pass in a part of the time. Frames, requests and
 * the socket keep their pace.
 */
export const timeLapse = (lapse: number): string => `
  (() => {
    const lapse = ${lapse};
    const startedAt = Date.now();
    const now = performance.now.bind(performance);
    const TrueDate = Date;
    const at = () => startedAt + now() * lapse;
    globalThis.Date = class Date extends TrueDate {
      constructor(...args) { if (args.length === 0) super(at()); else super(...args); }
      static now() { return Math.floor(at()); }
    };
    performance.now = () => now() * lapse;
    for (const name of ['setTimeout', 'setInterval']) {
      const timer = globalThis[name].bind(globalThis);
      globalThis[name] = (work, ms = 0, ...args) => timer(work, ms / lapse, ...args);
    }
  })();`;
