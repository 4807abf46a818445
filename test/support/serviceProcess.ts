import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Keys } from '../../src/keysFile.ts';
import { projectRoot } from './build.ts';

/** A service in a process of its own, as users run it. */
export interface ServiceProcess {
  child: ChildProcessByStdio<null, Readable, Readable>;
  pid: number;
  baseUrl: string;
  keys: Keys;
  /** Its output so far: for people, and its log. */
  output: { out: string; log: string };
  /** Sends a signal and resolves with the exit code; undefined if the signal killed the process. */
  end(signal?: NodeJS.Signals): Promise<number | undefined>;
  /** Resolves with the exit code. */
  exit: Promise<number | undefined>;
}

export interface ServiceProcessOptions {
  dataDir: string;
  /** Further settings. The environment of the tests is not inherited. */
  env?: Record<string, string>;
  /** The root of another existing build. Default: the project's. */
  build?: string | undefined;
}

/**
 * Starts `dist/src/main.js` on a free port, and waits until it is ready. Rejects with its output if
 * it ends before.
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { dataDir } = options;
  const running = runServiceProcess(options);
  await running.ready;
  const keys: Keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
  const baseUrl = /API\s+(\S+)/.exec(running.output.out)?.[1] ?? '';
  return { ...running, baseUrl, keys };
}

/** Starts the process without waiting. */
export function runServiceProcess({ dataDir, env = {}, build }: ServiceProcessOptions): Omit<
  ServiceProcess,
  'baseUrl' | 'keys'
> & {
  ready: Promise<void>;
  exit: Promise<number | undefined>;
} {
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/src/main.js'], {
    cwd: build ?? projectRoot,
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', log: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.log += text;
  });
  const exit = once(child, 'close').then(([code]): number | undefined => code ?? undefined);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output.out.includes('Holdfast is ready') && resolve());
    void exit.then((code) => reject(new Error(`the service ended with ${code}:\n${output.log}`)));
  });
  // Callers that await `exit` need not await `ready`.
  ready.catch(() => undefined);
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | undefined> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exit;
  };
  return { child, pid: child.pid ?? 0, output, end, ready, exit };
}
