import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Keys } from '../../src/keysFile.ts';
import { projectRoot } from './build.ts';
import { bundle } from './bundle.ts';

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
  /**
   * The root of an existing build, whose modules are read one by one as in use. Default: a bundle
   * of the project's, which starts with half the work.
   */
  build?: string | undefined;
}

/**
 * Starts a service on a free port, and waits until it is ready. Rejects with its output if it ends
 * before.
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { dataDir } = options;
  const running = await runServiceProcess(options);
  await running.ready;
  const keys: Keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
  const baseUrl = /API\s+(\S+)/.exec(running.output.out)?.[1] ?? '';
  return { ...running, baseUrl, keys };
}

/** A service that may not be ready yet. */
export type StartingService = Omit<ServiceProcess, 'baseUrl' | 'keys'> & { ready: Promise<void> };

/** Starts the process without waiting until it is ready. */
export async function runServiceProcess({ dataDir, env = {}, build }: ServiceProcessOptions): Promise<StartingService> {
  const program =
    build === undefined
      ? [join(await bundle('service', ['main']), 'main.js')]
      : ['--enable-source-maps', 'dist/src/main.js'];
  const child = spawn(process.execPath, program, {
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
