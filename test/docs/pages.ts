import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/build.ts';

/** A page for people, as its reader meets it. */
export interface Page {
  /** From the root of the repository: `docs/sdk.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without blocks. */
  readonly prose: string;
  /** What stands between single backquotes in the prose. */
  readonly spans: readonly string[];
}

/** Code between two fences. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The line of the opening fence. */
  readonly line: number;
}

/** A block in a list is indented. */
const fence = /^( *)```(\S*)\n(.*?)^\1```$/gms;

/** README, the README of the package, and every page of `docs`. */
export const pages: readonly Page[] = ['README.md', 'sdk/README.md', ...pagesBelow('docs')].map(readPage);

/** The pages for users: without decisions, and without pages for developers of Holdfast. */
export const userPages = pages.filter(({ path }) => !/^docs\/(decisions|internals)\//.test(path));

function pagesBelow(folder: string): string[] {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
    .sort();
}

function readPage(path: string): Page {
  const text = readFileSync(join(projectRoot, path), 'utf8');
  const blocks = [...text.matchAll(fence)].map(({ 2: language = '', 3: code = '', index }) => {
    return { language, code, line: text.slice(0, index).split('\n').length };
  });
  const prose = text.replace(fence, '');
  // The first column of these tables has the words of other programs.
  const ours = path === 'docs/guides/coming-from.md' ? prose.replace(/^\|[^|]*\|/gm, '|') : prose;
  const spans = [...ours.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return { path, text, blocks, prose, spans };
}

/** The blocks of a language in all pages, each with its place. */
export const blocksOf = (...languages: string[]): { at: string; path: string; code: string }[] =>
  pages.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language }) => languages.includes(language))
      .map(({ code, line }) => ({ at: `${path}:${line}`, path, code })),
  );
