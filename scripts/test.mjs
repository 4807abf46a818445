// `npm test`: the whole suite, against a PostgreSQL that it starts itself. Arguments go to vitest.
import { join } from 'node:path';
import { runProgram } from './run.mjs';
import { root } from './setup.mjs';

runProgram(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]);
