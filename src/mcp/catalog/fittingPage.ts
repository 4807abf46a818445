import { fitWhole } from '../answer/fit.ts';
import type { DataAnswer } from '../declare/tool.ts';

export interface Page {
  /** The number of entries, and the member of the data that holds them. */
  count: number;
  member: string;
  answer: DataAnswer;
  release(): void;
}

/**
 * Reads a page that fits an answer. A page that is too large is read again with fewer entries, so
 * that its cursor is the one after its last entry. A single entry is shortened instead.
 */
export async function fittingPage(
  read: (limit: number) => Promise<Page>,
  asked: number,
  maxBytes: number,
): Promise<DataAnswer> {
  let limit = asked;
  for (;;) {
    const page = await read(limit);
    if (page.count <= 1 || fitWhole(page.answer, maxBytes)) return page.answer;
    page.release();
    limit = Math.max(1, Math.min(page.count - 1, entriesThatFit(page, maxBytes)));
  }
}

/** How many entries fit, by their sizes alone. */
function entriesThatFit({ count, member, answer }: Page, maxBytes: number): number {
  const entries: unknown = Reflect.get(answer.data, member);
  if (!Array.isArray(entries)) return count;
  let room = maxBytes;
  for (let at = 0; at < count; at += 1) {
    const fitted = fitWhole({ about: answer.about, data: { [member]: [entries[at]] } }, room);
    if (!fitted) return at;
    room -= Buffer.byteLength(fitted.json) - `{"${member}":[]}`.length + 1;
  }
  return count;
}
