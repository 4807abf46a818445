import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledService } from './bundledService.ts';
import type { Service } from './services.ts';

/** What a worker is to play: its service, on a database. */
export interface Scene {
  url: string;
  /** Where to die, if anywhere. */
  failPoint?: string;
  /** How far its clock is ahead, in ms. */
  aheadMs?: number;
}

/**
 * What a scene that came to its end met: the fail-points that it passed, and the statements that
 * have some.
 */
export interface Walk {
  reached: string[];
  declared: string[];
}

export interface Ended {
  signal: string | null;
  code: number | null;
  /** Of the scenes that came to their end. */
  walks: Walk[];
  err: string;
}

/** Has a process of its own play scenes one after the other, until it ends or dies. */
export async function playScenes({ file }: Service, scenes: readonly Scene[]): Promise<Ended> {
  const worker = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [worker, JSON.stringify(scenes)], {
    env: { PATH: process.env['PATH'], DIST: await bundledService() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    written.out += text;
  });
  child.stderr.on('data', (text) => {
    written.err += text;
  });
  const [code, signal] = await once(child, 'close');
  const walks = written.out.split('\n').flatMap((line): Walk[] => (line === '' ? [] : [JSON.parse(line)]));
  return { code, signal, walks, err: written.err };
}
