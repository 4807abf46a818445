import { type JsonDocument, readJson } from '../engine/json/index.ts';
import { findService, type QueryValues } from './service.ts';
import type { Terminal } from './terminal.ts';

export interface FollowOptions {
  path: string;
  query?: QueryValues;
  limit?: number | undefined;
  /** Whether to print each event as JSON, unparsed. */
  json?: boolean | undefined;
}

export interface TailLine {
  line: string;
  isLast?: boolean;
}

/** Prints a line for each event of a stream. */
export async function follow(
  terminal: Terminal,
  { path, query = {}, limit = Number.POSITIVE_INFINITY, json }: FollowOptions,
  describe: (data: JsonDocument) => TailLine,
): Promise<void> {
  const service = await findService(terminal);
  let printed = 0;
  for await (const { data } of service.follow(path, query, (reason) => terminal.err(`holdfast: ${reason}\n`))) {
    const { line, isLast } = describe(readJson(data));
    terminal.out(`${json ? data : line}\n`);
    printed += 1;
    if (isLast || printed >= limit) return;
  }
}
