import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { pages } from './pages.ts';

interface Link {
  from: string;
  /** The path of a file from the root. */
  to: string;
  anchor: string | undefined;
}

/** The links to files and headings of this repository. */
const links: Link[] = pages.flatMap(({ path, prose }) =>
  [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return { from: path, to: file === '' ? path : normalize(join(dirname(path), file)), anchor };
    }),
);

/** The anchor that a heading gets where the page is shown. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function anchorsOf(path: string): Set<string> {
  const text = readFileSync(join(projectRoot, path), 'utf8').replace(/^```.*?^```$/gms, '');
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

describe('the links of the pages', () => {
  it('lead to files that exist', () => {
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter(({ to }) => !existsSync(join(projectRoot, to)))).toEqual([]);
  });

  it('lead to headings that exist', () => {
    const lost = links.filter(
      ({ to, anchor }) => anchor !== undefined && to.endsWith('.md') && !anchorsOf(to).has(anchor),
    );
    expect(lost).toEqual([]);
  });

  it('lead from README to every page for users, and to the first page for developers', () => {
    const reached = new Set(links.filter(({ from }) => from === 'README.md').map(({ to }) => to));
    const wanted = pages.map(({ path }) => path).filter((path) => !/^(sdk\/|README|docs\/decisions\/)/.test(path));
    expect(wanted.filter((path) => !reached.has(path))).toEqual([]);
  });
});
