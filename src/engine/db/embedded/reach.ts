import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether any user may enter every folder on the way to `path`: not so below a home of mode 0700. */
export async function isReachableByAll(path: string): Promise<boolean> {
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}
