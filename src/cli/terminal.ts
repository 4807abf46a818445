export interface Terminal {
  env: Record<string, string | undefined>;
  /** Standard input, for secrets. Absent: there is none. */
  input?: AsyncIterable<Buffer>;
  /** Opens an address in the browser of the person, and tells whether that worked. Absent: none. */
  browse?(address: string): Promise<boolean>;
  out(text: string): void;
  err(text: string): void;
}

/** Prints a result: as JSON with `--json`, else as text. */
export function print(
  terminal: Terminal,
  { json }: { json?: boolean | undefined },
  value: unknown,
  text: string,
): void {
  terminal.out(json ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
}

/** Prints an answer of the service: unparsed with `--json`, else as text. */
export function printText(
  terminal: Terminal,
  { json }: { json?: boolean | undefined },
  sent: string,
  text: string,
): void {
  terminal.out(`${json ? sent : text}\n`);
}

/** Formats rows under headings, in columns as wide as their content. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => printable(row[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

/** Replaces control characters, which could control the terminal, with question marks. */
export const printable = (text: string): string => text.replace(/\p{Control}/gu, '?');

/** A time to the minute, in UTC. */
export const shortTime = (at: Date | null): string =>
  at === null ? '' : at.toISOString().replace('T', ' ').slice(0, 16);

/** A time of day to the millisecond, in UTC. */
export const clockTime = (at: Date): string => at.toISOString().slice(11, 23);

export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
