import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { projectRoot } from './build.ts';

/** Source folders, each with the folder of its build. */
const builds = [
  { sources: 'sdk/src', output: 'sdk/dist' },
  ...['src', 'bench', 'codegen', 'examples', 'prisma'].map((folder) => ({
    sources: folder,
    output: `dist/${folder}`,
  })),
];

/**
 * Loads the build of a source that a test imports. Node loads each module once per worker.
 * Transforming 750 sources for each test file took longer than the tests.
 */
export const builtModules: Plugin = {
  name: 'built-modules',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer || !source.startsWith('.') || !source.endsWith('.ts')) return undefined;
    const file = resolve(dirname(importer), source);
    const path = relative(projectRoot, file).split(sep).join('/');
    const build = builds.find(({ sources }) => path.startsWith(`${sources}/`));
    // The build of a deleted source may still exist.
    if (!build || !existsSync(file)) return undefined;
    const built = `${build.output}${path.slice(build.sources.length, -'ts'.length)}js`;
    return join(projectRoot, built);
  },
};
