import type { ServerResponse } from 'node:http';
import { stringifyRaw } from '../../engine/json/index.ts';
import { cutWhenStuck, isOver, whenOver } from '../../http/index.ts';
import { headersOf, jsonType } from '../declare/answer.ts';

/** One page of a list, as REST shows it. */
export interface ListPage {
  /** Taken out as they are written, so that a long list leaves nothing behind. */
  rows: unknown[];
  /** Reads the page after it; undefined on the last one. */
  next: (() => Promise<ListPage>) | undefined;
  /** To be called once its rows have left; that the caller has gone is known. */
  release(): void;
}

/**
 * Writes a whole list as one JSON array, page by page: the next page is read when the caller has
 * taken the one before, and none any more once they are gone. Throws what a page throws; then the
 * answer is broken off, so that nobody takes it for the whole.
 */
export async function writeWholeList(response: ServerResponse, status: number, first: ListPage): Promise<void> {
  response.writeHead(status, [...headersOf(undefined), 'content-type', jsonType]);
  try {
    if (response.req.method === 'HEAD') return void response.end();
    let separator = '[';
    for (let page: ListPage | undefined = first; page; page = await page.next?.()) {
      for (const row of page.rows.splice(0)) {
        if (!(await take(response, separator + stringifyRaw(row)))) return;
        separator = ',';
      }
      page.release();
    }
    response.end(separator === '[' ? '[]' : ']');
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/**
 * Writes, and waits while the caller has more to take than they should; false when they are gone.
 */
async function take(response: ServerResponse, text: string): Promise<boolean> {
  if (isOver(response)) return false;
  if (response.write(text)) return true;
  cutWhenStuck(response);
  await new Promise<void>((resolve) => {
    const forget = whenOver(response, resolve);
    response.once('drain', () => {
      forget();
      resolve();
    });
  });
  return !isOver(response);
}
