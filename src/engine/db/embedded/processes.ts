import { readFileSync } from 'node:fs';
import { errorCode } from '../index.ts';

/** Whether a process with this id runs, under any user. Zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/**
 * A process that ended stays a zombie until its parent collects it. In containers without an init
 * process nobody does. Linux only.
 */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the state is in parentheses and may contain any character.
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
