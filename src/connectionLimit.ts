import { readFileSync } from 'node:fs';

/** The limit of open files of this process; undefined if the system does not tell. */
function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Open files for the runtime, and for calls of HTTP runners and webhook endpoints. */
const reservedFiles = 2_300;

/** The limit if the system does not tell its own. */
const usualFiles = 10_240;

/**
 * The connections that a process accepts. Each takes an open file, and the database must always
 * find one: at most half of a low limit is reserved for it and other calls.
 */
export function connectionLimit(
  { databasePoolSize }: { databasePoolSize: number },
  files: number = maxOpenFiles() ?? usualFiles,
): number {
  return Math.max(1, files - Math.min(Math.ceil(files / 2), reservedFiles + databasePoolSize));
}
