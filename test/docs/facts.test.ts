import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyNames } from '../../src/engine/flow/policies/index.ts';
import { logFormats, logLevels, roles } from '../../src/settings.ts';
import { projectRoot } from '../support/build.ts';
import { pages } from './pages.ts';

interface Manifest {
  engines: { node: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const project: Manifest = JSON.parse(read('package.json'));
const sdk: Manifest = JSON.parse(read('sdk/package.json'));
const textOf = (path: string): string => pages.find((page) => page.path === path)?.text ?? '';
const rowOf = (path: string, name: string): string =>
  textOf(path)
    .split('\n')
    .find((line) => line.startsWith(`| \`${name}\``)) ?? '';

describe('lists and versions that pages repeat', () => {
  it('of Node are those of the packages', () => {
    const stated = pages.flatMap(({ prose }) =>
      [...prose.matchAll(/Node (\d+\.\d+) or newer/g)].map(([, node]) => node),
    );
    expect(stated.length).toBeGreaterThan(1);
    for (const { engines } of [project, sdk])
      expect(stated.map((node) => `>=${node}`)).toEqual(stated.map(() => engines.node));
  });

  it('of PostgreSQL and of Compose are the one that is bundled', () => {
    const [version = ''] = Object.values(project.optionalDependencies);
    const [major] = version.split('.');
    const stated = pages.flatMap(({ prose }) =>
      [...prose.matchAll(/bundled PostgreSQL (\d+)/g)].map(([, each]) => each),
    );
    expect(stated).toContain(major);
    expect(new Set(stated).size).toBe(1);
    expect(textOf('docs/guides/deploying.md')).toContain(`starts PostgreSQL ${major},`);
    expect(read('deploy/compose.yaml')).toContain(`image: postgres:${major}\n`);
  });

  it('of TypeScript are those that tests compile with', () => {
    const folders = Object.keys(project.devDependencies).filter((name) => name.startsWith('@holdfast/typescript-'));
    const versions = [...folders.map((name) => name.split('-')[1]), project.devDependencies['typescript']?.slice(0, 3)];
    const [, list = ''] = /Tests compile the package with (.*)\.\n/.exec(textOf('docs/sdk.md')) ?? [];
    expect(list.split(/, | and /)).toEqual(versions);
  });

  it('of roles are complete, in README, among the settings and where processes are described', () => {
    const list = roles.map((role) => `\`${role}\``);
    expect(textOf('README.md')).toContain(`the roles ${list.slice(0, -1).join(', ')} and ${list.at(-1)}`);
    expect(rowOf('docs/operating.md', 'ROLES')).toContain(`Comma list of ${list.join(', ')} |`);
    for (const role of list) expect(textOf('docs/operating.md')).toMatch(new RegExp(`^- ${role} `, 'm'));
  });

  it('of levels and formats of the log are complete', () => {
    for (const level of logLevels) expect(rowOf('docs/operating.md', 'LOG_LEVEL')).toContain(`\`${level}\``);
    for (const format of logFormats) expect(rowOf('docs/operating.md', 'LOG_FORMAT')).toContain(`\`${format}\``);
  });

  it('of policies of flow control are complete, in the page of the SDK and in their guide', () => {
    const row = textOf('docs/sdk.md')
      .split('\n')
      .find((line) => line.startsWith('| `concurrency`, '));
    for (const policy of policyNames) {
      expect(row, policy).toContain(`\`${policy}\``);
      expect(textOf('docs/guides/flow-control.md'), policy).toContain(`\`${policy}\``);
    }
  });

  it('of dependencies of the SDK name `ws` only', () => {
    expect(textOf('docs/sdk.md')).toContain('depends on `ws` only');
    expect(Object.keys(sdk.dependencies)).toEqual(['ws']);
  });
});
