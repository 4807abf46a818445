// `npm run test:nightly`: the random tests at length, from a seed of their own that a failure prints. Arguments go to vitest.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { runProgram } from './run.mjs';
import { root } from './setup.mjs';

process.env.RANDOM_PROGRAMS ??= '20000';
process.env.RANDOM_INTERLEAVINGS ??= '100000';
process.env.RANDOM_SEED ??= String(randomInt(2 ** 31));
console.log(`RANDOM_SEED=${process.env.RANDOM_SEED}`);

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
runProgram(process.execPath, [vitest, 'run', 'test/random', ...process.argv.slice(2)]);
