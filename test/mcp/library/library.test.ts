import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  loadPages,
  type Page,
  pageNamed,
  pageOf,
  projectDirectory,
  readPages,
} from '../../../src/mcp/library/pages.ts';
import { pieceOf } from '../../../src/mcp/library/pieceOf.ts';
import { PageIndex } from '../../../src/mcp/library/searchPages.ts';
import { stemOf, wordsOf } from '../../../src/mcp/library/words.ts';

let pages: readonly Page[];
let index: PageIndex;
beforeAll(async () => {
  pages = await readPages();
  index = await PageIndex.of(pages);
});

const first = (query: string) => index.search(query, 5).hits[0];

describe('the documentation of this version', () => {
  it('has the README first, and every page of docs by its path', () => {
    expect(pages[0]).toMatchObject({ name: 'readme', title: 'Holdfast' });
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(['sdk', 'guides/approvals', 'reference/cli']));
  });

  it('is found beside the build as beside the sources', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-docs-'));
    try {
      await cp(join(projectDirectory(), 'docs'), join(folder, 'docs'), { recursive: true });
      await cp(join(projectDirectory(), 'README.md'), join(folder, 'README.md'));
      for (const place of ['dist/src/mcp/library', 'src/mcp/library']) {
        await mkdir(join(folder, place), { recursive: true });
        const found = projectDirectory(pathToFileURL(join(folder, place, 'pages.js')).href);
        expect(await loadPages(found)).toEqual(pages);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is named by the path of a link, too', () => {
    for (const name of [
      'guides/approvals',
      'docs/guides/approvals.md',
      '/docs/guides/approvals',
      'guides/approvals.md#deciding',
    ])
      expect(pageNamed(pages, name)?.title).toBe('Approvals');
    expect(pageNamed(pages, 'README.md')?.name).toBe('readme');
    for (const name of ['', '..', '../package.json', 'guides', 'constructor'])
      expect(pageNamed(pages, name)).toBeUndefined();
  });

  it('is cut at headings, which code blocks do not have', () => {
    const page = pageOf('a', 'before\n# One `two`\ntext\n```sh\n# a comment\n```\n## [Three](x.md)\nend');
    expect(page.title).toBe('One two');
    expect(page.sections.map(({ heading, offset }) => [heading, offset])).toEqual([
      ['One two', 0],
      ['One two', 7],
      ['Three', 46],
    ]);
    expect(page.sections.map(({ text }) => text).join('')).toBe(page.text);
  });
});

describe('words', () => {
  it('are compared without their usual endings', () => {
    for (const [one, other] of [
      ['retries', 'retry'],
      ['retrying', 'retry'],
      ['stopped', 'stop'],
      ['webhooks', 'webhook'],
      ['pauses', 'paused'],
      ['matches', 'match'],
    ])
      expect(stemOf(one ?? '')).toBe(stemOf(other ?? ''));
    expect(stemOf('class')).not.toBe(stemOf('clan'));
  });

  it('are names as a whole, and their parts', () => {
    expect(wordsOf('`MAX_JSON_DEPTH`')).toEqual(['max_json_depth', 'max', 'json', 'depth']);
    expect(wordsOf('maxAttempts')).toEqual(['maxattempts', 'max', 'attempt']);
    expect(wordsOf('the step of a run')).toEqual(['step', 'run']);
  });
});

describe('search', () => {
  it('finds the section that a question is about', () => {
    expect(first('approve with edited arguments')).toMatchObject({ page: 'guides/approvals', heading: 'Deciding' });
    expect(first('MAX_JSON_DEPTH')).toMatchObject({ page: 'operating', heading: 'Settings' });
    expect(first('cron time zone')).toMatchObject({ page: 'guides/schedules' });
    expect(first('deploy a new version')).toMatchObject({ page: 'guides/deploying', heading: 'A new version' });
    expect(first('debouncing')).toMatchObject({ page: 'guides/flow-control' });
    expect(first('verify webhook signature')).toMatchObject({ page: 'guides/webhooks' });
  });

  it('shows a small excerpt with a word of the query, and where the section begins', () => {
    for (const { page, offset, excerpt, heading } of index.search('rotate a secret', 10).hits) {
      expect(excerpt.length).toBeLessThanOrEqual(242);
      expect(pageNamed(pages, page)?.text.slice(offset)).toContain(heading.split(' ')[0]);
    }
    expect(first('NonDeterminismError')?.excerpt).toContain('NonDeterminismError');
  });

  it('takes words that begin alike where it knows no such word', () => {
    expect(index.search('NonDetermin', 3).hits.length).toBeGreaterThan(0);
  });

  it('answers the same each time, at most three sections of a page, and nothing for no words', async () => {
    const again = await PageIndex.of(await loadPages(projectDirectory()));
    for (const query of ['run', 'webhook retries', 'the', '', '!!', 'zzzzqqq', '__proto__ constructor']) {
      const found = index.search(query, 20);
      expect(again.search(query, 20)).toEqual(found);
      const perPage = found.hits.map(({ page }) => found.hits.filter((hit) => hit.page === page).length);
      expect(Math.max(0, ...perPage)).toBeLessThanOrEqual(3);
    }
    expect(index.search('the !!', 5)).toEqual({ hits: [], total: 0 });
  });
});

describe('pieces of a page', () => {
  it('end with lines, fit, and are the whole text together', () => {
    for (const page of pages.slice(0, 12)) {
      let text = '';
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const piece = pieceOf(page, offset, (each) => each.text.length <= 2_000);
        expect(piece.text.length).toBeLessThanOrEqual(2_000);
        text += piece.text;
        offset = piece.nextOffset;
      }
      expect(text).toBe(page.text);
    }
  });

  it('cut a line that does not fit, but no character', () => {
    const page = pageOf('a', 'x😀😀😀');
    expect(pieceOf(page, 0, ({ text }) => text.length <= 4)).toEqual({ offset: 0, text: 'x😀', nextOffset: 3 });
  });
});
