import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';

describe('the lock of the set-up', () => {
  let directory: string;
  let lock: string;
  const ends: (() => unknown)[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast setup '));
    lock = join(directory, 'setup.lock');
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    await rm(directory, { recursive: true, force: true });
  });

  /** A process that takes the lock, says so, and lets it go. */
  function take(before = '') {
    const program = `
      import { writeFileSync } from 'node:fs';
      import { withLock } from './scripts/setupLock.mjs';
      const lock = process.argv[1];
      ${before}
      withLock(lock, () => console.log('taken'), { reportAfterMs: 50 });`;
    const args = ['--input-type=module', '--eval', program, lock];
    const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    ends.push(() => child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    return child;
  }

  it('that an earlier process of our own number left behind is abandoned', async () => {
    const child = take('writeFileSync(lock, String(process.pid));');
    expect(await once(child.stdout, 'data')).toEqual(['taken\n']);
    await once(child, 'exit');
    expect(existsSync(lock)).toBe(false);
  });

  it('that a process at work holds is waited for, and it is said for whom', async () => {
    await writeFile(lock, String(process.pid));
    const child = take();
    const [said] = await once(child.stderr, 'data');
    expect(said).toContain(`Waiting for process ${process.pid}`);
    expect(said).toContain(lock);
    await rm(lock);
    expect(await once(child.stdout, 'data')).toEqual(['taken\n']);
  });
});
