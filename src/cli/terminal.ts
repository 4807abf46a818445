/** Where a command reads its settings and writes what it has to say. */
export interface Terminal {
  env: Record<string, string | undefined>;
  out(text: string): void;
  err(text: string): void;
}

/** Prints a result: as JSON where asked for, else for people. */
export function print(
  terminal: Terminal,
  { json }: { json?: boolean | undefined },
  value: unknown,
  text: string,
): void {
  terminal.out(json ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
}

/** Prints an answer of the service: as it was sent where JSON is asked for, else for people. */
export function printText(
  terminal: Terminal,
  { json }: { json?: boolean | undefined },
  sent: string,
  text: string,
): void {
  terminal.out(`${json ? sent : text}\n`);
}

/** Rows under headings, in columns as wide as what they hold. */
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

/** Names come from elsewhere: what would steer the terminal is shown as a question mark. */
export const printable = (text: string): string => text.replace(/\p{Control}/gu, '?');

/** A time for people: to the minute, in UTC. */
export const shortTime = (at: Date | null): string =>
  at === null ? '' : at.toISOString().replace('T', ' ').slice(0, 16);

/** A time of today for people: to the millisecond, in UTC. */
export const clockTime = (at: Date): string => at.toISOString().slice(11, 23);

/** A number and the noun that it counts. */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
