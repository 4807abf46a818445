import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { maxEventsPerCall } from '../engine/events/index.ts';
import { maxBodyBytes } from '../http/index.ts';
import { CliError } from './cliError.ts';
import { findService, Refusal } from './service.ts';
import { counted, printText, type Terminal } from './terminal.ts';

/** The text around the events of a call. */
const frame = ['{"events":[', ']}'] as const;

/** Events of following lines that one call sends. */
interface Batch {
  /** The events as they stand in the file, so that numbers keep their digits. */
  lines: string[];
  bytes: number;
  /** The number of the first event's line. */
  from: number;
  to: number;
}

const isObject = z.looseObject({});
const sent = z.looseObject({
  results: z.array(
    z.looseObject({
      deduped: z.boolean().optional(),
      woke: z.number(),
      triggered: z.array(z.looseObject({ runId: z.string().optional() })),
    }),
  ),
});

/**
 * Sends the events of a file, one JSON object a line, in calls of `POST /events/batch`. A call
 * records all of its events or none. Throws `CliError` at the first call that is refused, and says
 * how many events were sent before. `-` reads standard input.
 */
export async function sendEventsOf(terminal: Terminal, path: string, options: { json?: boolean }): Promise<void> {
  const service = await findService(terminal);
  const sum = { events: 0, repeats: 0, started: 0, woke: 0 };
  for await (const batch of batchesOf(path)) {
    const { text } = await service.post('/events/batch', frame.join(batch.lines.join(','))).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      const where = `${path}, lines ${batch.from} to ${batch.to}: ${error.message}`;
      const before = `${counted(sum.events, 'event')} before them ${sum.events === 1 ? 'was' : 'were'} sent`;
      throw error instanceof Refusal
        ? new Refusal(`${where}; ${before}`, error.status)
        : new CliError(`${where}; ${before}`);
    });
    const { results } = sent.parse(JSON.parse(text));
    sum.events += results.length;
    for (const { deduped, woke, triggered } of results) {
      if (deduped) sum.repeats += 1;
      sum.woke += woke;
      sum.started += triggered.filter(({ runId }) => runId !== undefined).length;
    }
  }
  const facts = [
    `sent ${counted(sum.events, 'event')}`,
    ...(sum.repeats > 0 ? [`${counted(sum.repeats, 'repeat')} dropped`] : []),
    `started ${counted(sum.started, 'run')}`,
    `woke ${counted(sum.woke, 'run')}`,
  ];
  printText(terminal, options, JSON.stringify(sum), facts.join(', '));
}

async function* batchesOf(path: string): AsyncGenerator<Batch> {
  const input = path === '-' ? process.stdin : createReadStream(path, 'utf8');
  let batch: Batch | undefined;
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === '') continue;
      checkLine(path, number, line);
      const bytes = Buffer.byteLength(line) + 1;
      if (batch && (batch.lines.length === maxEventsPerCall || batch.bytes + bytes > maxBodyBytes)) {
        yield batch;
        batch = undefined;
      }
      batch ??= { lines: [], bytes: frame.join('').length, from: number, to: number };
      batch.lines.push(line);
      batch.bytes += bytes;
      batch.to = number;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new CliError(`${path} cannot be read: ${error.code}`);
    throw error;
  }
  if (batch) yield batch;
}

function checkLine(path: string, number: number, line: string): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CliError(`${path}, line ${number}: no JSON`);
  }
  if (!isObject.safeParse(value).success) throw new CliError(`${path}, line ${number}: no JSON object`);
}
