import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { round } from './stats.ts';

/** The conditions of a measurement, without which its figures mean nothing. */
export interface Conditions {
  at: string;
  commit: string;
  isModified: boolean;
  node: string;
  cores: number;
  processor: string;
  memoryGib: number;
  kernel: string;
}

export const conditions = (): Conditions => ({
  at: new Date().toISOString(),
  commit: git('rev-parse', 'HEAD') ?? 'unknown',
  isModified: git('status', '--porcelain', '--untracked-files=no') !== '',
  node: process.version,
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGib: round(totalmem() / 2 ** 30, 1),
  kernel: release(),
});

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
