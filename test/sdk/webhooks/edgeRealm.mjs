// Plays the vectors with the built library in a realm that has the globals of edge runtimes only.
// Run with --experimental-vm-modules. Prints what was imported, and each verdict.
import { readFile } from 'node:fs/promises';
import { createContext, SourceTextModule } from 'node:vm';

const library = new URL('../../../sdk/dist/webhooks/index.js', import.meta.url);
const vectorFile = new URL('../../../sdk/webhook-vectors.json', import.meta.url);
const context = createContext({ atob, btoa, crypto, TextDecoder, TextEncoder });
const modules = new Map();

function load(url) {
  const known = modules.get(url.href) ?? readFile(url, 'utf8').then((text) => moduleOf(url, text));
  modules.set(url.href, known);
  return known;
}

const moduleOf = (url, text) => new SourceTextModule(text, { context, identifier: url.href });

/** Only files of the library can be imported. */
function link(specifier, from) {
  if (!specifier.startsWith('.')) throw new Error(`${from.identifier} imports ${specifier}`);
  return load(new URL(specifier, from.identifier));
}

const entry = await load(library);
await entry.link(link);
await entry.evaluate();
const { verifyWebhook } = entry.namespace;

const { vectors } = JSON.parse(await readFile(vectorFile, 'utf8'));
const verdicts = [];
for (const { body, bodyBase64, headers, secrets, now } of vectors) {
  const raw = body ?? Buffer.from(bodyBase64, 'base64');
  const verdict = await verifyWebhook(raw, headers, secrets, { now: now * 1000 }).then(
    () => 'valid',
    (error) => error.reason ?? String(error),
  );
  verdicts.push(verdict);
}
console.log(JSON.stringify({ files: [...modules.keys()].map((url) => url.split('/sdk/dist/')[1]), verdicts }));
