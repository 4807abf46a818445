import { readFileSync } from 'node:fs';

/**
 * Whether a process of this id runs, be it another user's. One that ended but was not collected
 * does not count.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isZombie(pid);
}

/**
 * Where nothing collects orphans (containers without an init process) the dead keep their number.
 * Linux only.
 */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it stands in parentheses and may hold any character.
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
