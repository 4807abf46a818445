import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A migration failed, or the history does not fit. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A migration on disk, in Prisma's layout: `<directory>/<name>/migration.sql`. */
export interface MigrationFile {
  name: string;
  script: string;
  /** SHA-256 of the file in hexadecimal, as Prisma records it. */
  checksum: string;
}

export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const content = await readFile(join(directory, name, 'migration.sql'));
      return { name, script: content.toString('utf8'), checksum: createHash('sha256').update(content).digest('hex') };
    }),
  );
}

/** The line by which a migration says that older builds cannot work with it. */
const breaking = /^--[ \t]*breaks older builds\b:?[ \t]*(.*)$/im;

/** Why builds older than a migration must not start after it; null if they may. */
export function breaksOlderBuilds(script: string): string | null {
  const found = breaking.exec(script);
  return found && (found[1]?.trim() || 'it breaks older builds');
}

const lineAt = (script: string, offset: number): number => script.slice(0, offset).split('\n').length;

/**
 * The line of the error in a failed script. For errors of syntax and names, PostgreSQL returns a
 * position (in characters, from 1). For other errors it is the first line of the statement after
 * the `completed` ones.
 */
export function failedLine(script: string, position: string | undefined, completed: number): number {
  if (position !== undefined) {
    // PostgreSQL counts code points, JavaScript UTF-16 units.
    const before = [...script].slice(0, Number(position) - 1).join('');
    return lineAt(script, before.length);
  }
  const starts = statementStarts(script);
  return lineAt(script, starts[completed] ?? starts.at(-1) ?? 0);
}

/**
 * Comments, strings and bodies, which may hide a semicolon; the semicolon; any other visible
 * character.
 */
const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|\bbegin\s+atomic\b[\s\S]*?\bend\b|;|\S/gi;

/** The offset of each statement of a script. Only for messages: the script itself is sent whole. */
function statementStarts(script: string): number[] {
  const starts: number[] = [];
  let inside = false;
  for (const match of script.matchAll(token)) {
    if (match[0].startsWith('--') || match[0].startsWith('/*')) continue;
    if (match[0] === ';') inside = false;
    else if (!inside) {
      starts.push(match.index);
      inside = true;
    }
  }
  return starts;
}
