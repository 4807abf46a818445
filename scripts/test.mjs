// `npm test`: runs the fast tests, which cover every rule. With paths, it runs the fast and the
// slow tests there. `npm run test:full` runs all. The tests start a PostgreSQL of their own.
// Arguments go to vitest.
import { join } from 'node:path';
import { runProgram } from './run.mjs';
import { root, setUp } from './setup.mjs';

setUp();
const { parseCLI } = await import('vitest/node');

const given = process.argv.slice(2);
const { filter, options } = parseCLI(['vitest', 'run', ...given]);
const tier = filter.length > 0 || options.project ? [] : ['--project=fast'];
runProgram(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...tier, ...given]);
