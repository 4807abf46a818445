// Runs the protocol's own suite, `@modelcontextprotocol/conformance`, with the arguments of its
// command. Its releases need a newer Node than this project, for functions that these runs do not
// use, and a client of a code host.
import { createRequire, register } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

register('./suiteHooks.mjs', import.meta.url);
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
await import(pathToFileURL(join(dirname(manifest), 'dist', 'index.js')).href);
