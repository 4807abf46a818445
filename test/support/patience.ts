import { vi } from 'vitest';
import { patienceMs } from './patienceMs.ts';

const { waitFor } = vi;

/** `vi.waitFor` with the deadline of `expect.poll`, which the configuration sets. */
const waitPatiently: typeof waitFor = (callback, options) =>
  waitFor(callback, { timeout: patienceMs, ...(typeof options === 'number' ? { timeout: options } : options) });

// All files of a worker share `vi`, and each loads this file.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
