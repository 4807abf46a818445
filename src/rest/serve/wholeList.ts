import type { ServerResponse } from 'node:http';
import { stringifyRaw } from '../../engine/json/index.ts';
import { cutWhenStuck, isOver, whenOver } from '../../http/index.ts';
import { headersOf, jsonType } from '../declare/answer.ts';

/** A page of a list, in its REST form. */
export interface ListPage {
  /** Rows are removed as they are written, so that a long list keeps no memory. */
  rows: unknown[];
  /** Reads the page after it; undefined on the last one. */
  next: (() => Promise<ListPage>) | undefined;
  /**
   * Releases the page's memory after its rows have been sent. Called by itself if the caller goes.
   */
  release(): void;
}

/**
 * Writes a whole list as one JSON array, page by page. Reads the next page when the caller has read
 * the previous one, and stops when the caller goes. Throws an error of a page. The connection is
 * then cut, so that no caller takes the part for the whole.
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

/** Writes, and waits while the caller reads slowly; false if the caller has gone. */
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
