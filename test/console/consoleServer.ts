import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BuiltConsole, readBuiltConsole, serveConsole } from '../../src/console/index.ts';
import { Origins } from '../../src/http/index.ts';
import { type RestServer, startRest } from '../rest/restServer.ts';
import type { TestEngineOptions } from '../support/engine.ts';
import { usualBodies } from '../support/settings.ts';

/** The folder of a small console, as a build leaves it. */
export interface ConsoleFolder {
  path: string;
  remove(): Promise<void>;
}

export const fixtureScript = `console.log(${JSON.stringify('a'.repeat(600))});\n`;

/** Writes a page with two marks for the nonce, some assets, and files that are not to be served. */
export async function writeConsoleFolder(): Promise<ConsoleFolder> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast console '));
  const assets = join(path, 'assets');
  await mkdir(join(assets, 'folder'), { recursive: true });
  const page = `<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>`;
  await writeFile(join(path, 'index.html'), page);
  await writeFile(join(path, '.stamp'), 'a stamp');
  await writeFile(join(assets, 'index-4f2a.js'), fixtureScript);
  await writeFile(join(assets, 'index-4f2a.js.br'), brotliCompressSync(fixtureScript));
  await writeFile(join(assets, 'index-4f2a.js.gz'), gzipSync(fixtureScript));
  await writeFile(join(assets, 'index-9c01.css'), 'body { margin: 0 }\n');
  await writeFile(join(assets, 'font-77aa.woff2'), 'a font');
  await writeFile(join(assets, 'folder', 'inner.js'), 'inner');
  await symlink('/etc/hostname', join(assets, 'link.js'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** REST with the console, on a real socket. Default: a console that was not built. */
export const startConsole = (options: TestEngineOptions & { built?: BuiltConsole } = {}): Promise<RestServer> => {
  const { built, ...rest } = options;
  return startRest({
    ...rest,
    extend: (app, engine) => serveConsole(app, { built, engine, bodies: usualBodies, origins: new Origins() }),
  });
};

/** REST with the console of a folder. */
export const startConsoleOf = async ({ path }: ConsoleFolder): Promise<RestServer> => {
  const built = await readBuiltConsole(path);
  return startConsole(built && { built });
};

export interface RawAnswer {
  status: number | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/** Sends a path as it is: `fetch` would resolve its dots, and unpack the answer. */
export function getRaw(
  url: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}
