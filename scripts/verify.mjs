// `npm run verify`: all checks of CI in a working copy: format, lint, types, generated files,
// tests.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runTool, setUp } from './setup.mjs';

const loud = { stdio: 'inherit' };

setUp();
runTool('biome', ['check', '--error-on-warnings', '.'], loud);
process.chdir(root);
await import('./lintRooms.mjs');
await import('./lintComments.mjs');
await import('./lintPackage.mjs');
await import('./lintDeploy.mjs');
runTool('tsc', ['-p', 'tsconfig.test.json'], loud);
runTool('tsc', ['-p', 'console'], loud);

const { generatedFiles } = await import('../dist/codegen/files.js');
const names = Object.keys(generatedFiles);
const read = () => names.map((name) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : ''));
const before = read();
await import('../dist/codegen.js');
const after = read();
const { writeConsoleTypes } = await import('../console/codegen.mjs');
const stale = [...names.filter((_, index) => after[index] !== before[index]), ...(await writeConsoleTypes())];
if (stale.length > 0) {
  console.error(`${stale.join(' and ')} changed when generated again: review and commit the change.`);
  process.exit(1);
}

runTool('vitest', ['run'], loud);
