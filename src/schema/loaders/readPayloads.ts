import { anySize, bytesOf, type Sized } from '../../engine/paging/index.ts';
import type { AnswerMeter } from './answerMeter.ts';

/** What is read without asking, in bytes: nearly all payloads there are. */
const smallBytes = 64 * 1024;

/**
 * Reads rows with payloads by one statement; by two where they are large, as it takes their sizes to know whether the
 * answer has room for them. `fetch` reads at most so many bytes.
 */
export async function readPayloads<Row extends Sized>(
  meter: AnswerMeter,
  fetch: (maxBytes: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = await fetch(smallBytes);
  const bytes = bytesOf(rows);
  meter.load(bytes);
  if (rows.every(({ isRead }) => isRead)) return rows;
  await meter.makeRoom(bytes);
  return fetch(anySize);
}
