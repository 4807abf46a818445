import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * The most that a build may weigh, in kB after gzip. Only the first load is what each visit pays;
 * all pages together grow with their number, by 2 to 4 kB each.
 */
const bars = { firstScript: 170, firstStyle: 15, chunk: 130, all: 480 };

interface Weighed {
  name: string;
  kb: number;
  isFirst: boolean;
}

/** Prints the weight of the build, and fails the build above the bars. */
export const bundleBars = (): Plugin => ({
  name: 'bundle-bars',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle);
    const first = new Set<string>();
    const visit = (name: string): void => {
      if (first.has(name)) return;
      first.add(name);
      const chunk = bundle[name];
      if (chunk?.type === 'chunk') for (const each of chunk.imports) visit(each);
    };
    // The first load is sign-in and the runs list, with all that these import.
    for (const each of files) if (each.type === 'chunk' && isFirstPage(each)) visit(each.fileName);
    for (const name of [...first]) {
      const chunk = bundle[name];
      if (chunk?.type !== 'chunk') continue;
      for (const style of chunk.viteMetadata?.importedCss ?? []) first.add(style);
    }
    const weighed = files
      .filter(({ fileName }) => /\.(js|css)$/.test(fileName))
      .map((file): Weighed => {
        const content = file.type === 'chunk' ? file.code : file.source;
        return {
          name: file.fileName,
          kb: gzipSync(content, { level: 9 }).length / 1000,
          isFirst: first.has(file.fileName),
        };
      });
    const complaints = complaintsAbout(weighed);
    if (complaints.length > 0) this.error(complaints.join('\n'));
  },
});

const isFirstPage = (chunk: { isEntry: boolean; facadeModuleId: string | null }): boolean =>
  chunk.isEntry || /pages\/runs\/RunsPage\.tsx$/.test(chunk.facadeModuleId ?? '');

function complaintsAbout(files: readonly Weighed[]): string[] {
  const sum = (some: readonly Weighed[]): number => some.reduce((total, { kb }) => total + kb, 0);
  const figures: [what: string, kb: number, bar: number][] = [
    [
      'JavaScript of the first load',
      sum(files.filter(({ name, isFirst }) => isFirst && name.endsWith('.js'))),
      bars.firstScript,
    ],
    [
      'CSS of the first load',
      sum(files.filter(({ name, isFirst }) => isFirst && name.endsWith('.css'))),
      bars.firstStyle,
    ],
    ['the largest chunk', Math.max(...files.map(({ kb }) => kb)), bars.chunk],
    ['the whole console', sum(files), bars.all],
  ];
  for (const [what, kb, bar] of figures) console.log(`${what}: ${kb.toFixed(1)} kB of ${bar} kB`);
  return figures
    .filter(([, kb, bar]) => kb > bar)
    .map(([what, kb, bar]) => `${what} weighs ${kb.toFixed(1)} kB: at most ${bar} kB`);
}
