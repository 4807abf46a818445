import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Allows one set-up at a time. A second one waits, and then finds the work done. The lock is a file
 * with the number of the process. After `reportAfterMs` a waiting process names the holder.
 */
export function withLock(lock, task, { reportAfterMs = 3_000 } = {}) {
  mkdirSync(dirname(lock), { recursive: true });
  const sinceMs = performance.now();
  let hasReported = false;
  while (!takeLock(lock)) {
    if (!hasReported && performance.now() - sinceMs >= reportAfterMs) {
      hasReported = true;
      reportHolder(lock);
    }
    sleep(200);
  }
  try {
    task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    process.once('exit', () => rmSync(lock, { force: true }));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that took the lock has ended. */
function isAbandoned(lock) {
  try {
    const age = Date.now() - statSync(lock).mtimeMs;
    const pid = holderOf(lock);
    // The file exists, but its content may not be written yet.
    if (!pid) return age > 10_000;
    // An earlier process had our number: a restarted container counts from 1 again.
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function reportHolder(lock) {
  try {
    console.error(
      `Waiting for process ${holderOf(lock)} to finish setting up. If it does something else, delete ${lock}.`,
    );
  } catch {
    // The lock was released meanwhile.
  }
}

const holderOf = (lock) => Number(readFileSync(lock, 'utf8'));

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
