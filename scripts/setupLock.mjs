import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * One set-up at a time: a second one waits, and then finds everything done. The lock is a file that
 * holds the number of the process; whoever waits for longer than `sayAfterMs` says for whom.
 */
export function withLock(lock, task, { sayAfterMs = 3_000 } = {}) {
  mkdirSync(dirname(lock), { recursive: true });
  const sinceMs = performance.now();
  let hasSaid = false;
  while (!takeLock(lock)) {
    if (!hasSaid && performance.now() - sinceMs >= sayAfterMs) {
      hasSaid = true;
      sayForWhom(lock);
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

/** Whether whoever took the lock is gone. */
function isAbandoned(lock) {
  try {
    const age = Date.now() - statSync(lock).mtimeMs;
    const pid = holderOf(lock);
    // Just made, and not yet written.
    if (!pid) return age > 10_000;
    // Not taken by us, so by an earlier process of our number: after a restart a container counts
    // from 1 again.
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function sayForWhom(lock) {
  try {
    console.error(
      `Waiting for process ${holderOf(lock)} to finish setting up. If it does something else, delete ${lock}.`,
    );
  } catch {
    // It has just been let go.
  }
}

const holderOf = (lock) => Number(readFileSync(lock, 'utf8'));

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
