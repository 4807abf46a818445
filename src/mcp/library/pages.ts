import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page of the documentation. */
export interface Page {
  /** Its path without `docs/` and ending, such as `guides/approvals`; `readme` for the README. */
  name: string;
  title: string;
  text: string;
  sections: readonly Section[];
}

/** A part of a page, from a heading to the next one. */
export interface Section {
  heading: string;
  /** Where the heading begins in the text of the page, in characters. */
  offset: number;
  text: string;
}

/** The folder of the project, seen from the sources or from the build: `docs` lies in it. */
export const projectDirectory = (from: string = import.meta.url): string =>
  fileURLToPath(new URL(from.includes('/dist/src/') ? '../../../../' : '../../../', from));

let known: Promise<readonly Page[]> | undefined;

/** The pages of this version, read once. Throws if they are not installed. */
export function readPages(): Promise<readonly Page[]> {
  known ??= loadPages(projectDirectory()).catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** Reads the README and the pages of `docs`, in the order of their names, the README first. */
export async function loadPages(directory: string): Promise<readonly Page[]> {
  const docs = join(directory, 'docs');
  const files = (await readdir(docs, { recursive: true })).filter((file) => file.endsWith('.md')).sort();
  const readme = pageOf('readme', await readFile(join(directory, 'README.md'), 'utf8'));
  const pages = files.map(async (file) => pageOf(nameOf(file), await readFile(join(docs, file), 'utf8')));
  return [readme, ...(await Promise.all(pages))];
}

const nameOf = (file: string): string => file.split(sep).join('/').replace(/\.md$/, '');

/** The page of a name, however it is written: `docs/sdk.md` is `sdk`. */
export function pageNamed(pages: readonly Page[], name: string): Page | undefined {
  const wanted = name
    .replace(/^\/?(?:docs\/)?/, '')
    .replace(/(?:\.md)?(?:#.*)?$/, '')
    .toLowerCase();
  return pages.find((page) => page.name === wanted);
}

/** Cuts a text at its headings. A line of a code block is no heading. */
export function pageOf(name: string, source: string): Page {
  const text = source.replaceAll('\r\n', '\n');
  const starts: { heading: string; offset: number }[] = [];
  let offset = 0;
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, heading] = (!isCode && /^#{1,4} +(.+?)\s*$/.exec(line)) || [];
    if (heading !== undefined) starts.push({ heading: plain(heading), offset });
    offset += line.length + 1;
  }
  const title = starts[0]?.heading ?? name;
  const all = starts[0]?.offset === 0 ? starts : [{ heading: title, offset: 0 }, ...starts];
  const sections = all.map((start, index) => ({ ...start, text: text.slice(start.offset, all[index + 1]?.offset) }));
  return { name, title, text, sections };
}

/** A heading without marks of Markdown. */
const plain = (heading: string): string => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
