import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../src/engine/db/embedded/processes.ts';
import { stopServer } from '../../src/engine/db/embedded/server.ts';

const memory = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;
const folderPrefix = 'holdfast-test-';

/**
 * Makes a folder for all temporary files of this test run, `tmpdir()` for its tests too. The folder
 * is in memory if there is room: some disks need 0.4 s for the 300 files of a cloned database.
 */
export async function makeRunFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const parent = hasRoom(memory) ? memory : tmpdir();
  await removeAbandoned(parent);
  const path = await mkdtemp(join(parent, `${folderPrefix}${process.pid}-`));
  // Tests also start programs under other users.
  await chmod(path, 0o711);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = path;
  const remove = async (): Promise<void> => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(path, { recursive: true, force: true });
  };
  return { path, remove };
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

/** Stops the servers of killed test runs, which outlive them like those of a service. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(folderPrefix));
  for (const name of names) {
    const runPid = Number(name.slice(folderPrefix.length).split('-')[0]);
    if (!runPid || isAlive(runPid)) continue;
    const folder = join(parent, name);
    const [serverPid] = (await readFile(join(folder, 'pg/postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (serverPid && (await readlink(`/proc/${serverPid}/cwd`).catch(() => '')) === join(folder, 'pg')) {
      await stopServer(Number(serverPid));
    }
    await rm(folder, { recursive: true, force: true });
  }
}
