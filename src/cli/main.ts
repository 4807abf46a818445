// The command line tool: `npx holdfast`, or `node dist/src/cli/main.js`.
import { fileURLToPath } from 'node:url';
import { browse } from './browse.ts';
import { runCli } from './runCli.ts';

// The directory of the service, so that a relative DATA_DIR means the same to both.
process.chdir(fileURLToPath(new URL(import.meta.url.includes('/dist/src/') ? '../../../' : '../../', import.meta.url)));

// The reader of a pipe may end first, as `head` does.
process.stdout.on('error', () => process.exit());

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  browse: (address) => browse(address, process),
  // A person at a terminal would wait for nothing.
  ...(!process.stdin.isTTY && { input: process.stdin }),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
