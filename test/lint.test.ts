import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from './support/build.ts';

const importRule = 'lint/style/noRestrictedImports';

/** A file that breaks a rule, the line that breaks it, and the rule. */
const violations: [file: string, code: string, rule: string][] = [
  ['src/engine/a.ts', `import '../rest/index.ts';`, importRule],
  ['src/engine/a.ts', `import '../settings.ts';`, importRule],
  ['src/engine/a.ts', `import 'graphql';`, importRule],
  ['src/engine/runs/a.ts', `import '../../workers/dispatcher/index.ts';`, importRule],
  ['src/engine/runs/a.ts', `import '../../schema/schema.ts';`, importRule],
  ['src/engine/runs/a.ts', `import 'express';`, importRule],
  ['src/engine/runs/a.ts', `import 'ws';`, importRule],
  ['src/engine/runs/a.ts', `import '@pothos/core';`, importRule],
  ['src/engine/runs/a.ts', `import '@holdfast/sdk';`, importRule],
  ['src/engine/runs/sql/a.ts', `import '../../../settings.ts';`, importRule],
  ['src/engine/runs/sql/a.ts', `import 'graphql-yoga';`, importRule],
  ['src/engine/runs/a.ts', `export const home = process.env['HOME'];`, 'lint/style/noProcessEnv'],
  ['src/schema/a.ts', `import '../rest/index.ts';`, importRule],
  ['src/schema/a.ts', `import '../workers/dispatcher/index.ts';`, importRule],
  ['src/schema/loaders/a.ts', `import 'express';`, importRule],
  ['src/schema/a.ts', `import '../graphql/index.ts';`, importRule],
  ['src/schema/a.ts', `import '../http/index.ts';`, importRule],
  ['src/http/a.ts', `import '../engine/errors.ts';`, importRule],
  ['src/graphql/a.ts', `import '../rest/index.ts';`, importRule],
  ['src/rest/a.ts', `import '../graphql/index.ts';`, importRule],
  ['src/rest/a.ts', `import '../workers/dispatcher/index.ts';`, importRule],
  ['src/rest/routes/a.ts', `import '../../generated/prisma/client.ts';`, importRule],
  ['src/rest/a.ts', `import 'pg';`, importRule],
  ['src/rest/a.ts', `export const home = process.env['HOME'];`, 'lint/style/noProcessEnv'],
  ['src/workers/dispatcher/a.ts', `import '../../schema/schema.ts';`, importRule],
  ['src/workers/dispatcher/a.ts', `import '../../rest/index.ts';`, importRule],
  ['src/workers/dispatcher/passes/a.ts', `import 'graphql';`, importRule],
  ['src/workers/dispatcher/a.ts', `import '@holdfast/sdk';`, importRule],
  ['src/server.ts', `import '@holdfast/sdk/node';`, importRule],
  ['src/server.ts', `import '../sdk/src/index.ts';`, importRule],
  ['sdk/src/a.ts', `import '../../src/settings.ts';`, importRule],
  ['sdk/src/execute/a.ts', `import '../../../src/settings.ts';`, importRule],
  ['examples/github/a.ts', `import '../../src/settings.ts';`, importRule],
  ['src/engine/x.ts', `import './y.ts';\nexport const x = 1;`, 'lint/suspicious/noImportCycles'],
  ['src/engine/a.ts', `import { later } from './later.ts';\nlater();`, 'lint/nursery/noFloatingPromises'],
  ['src/engine/a.ts', `export const a: any = 1;`, 'lint/suspicious/noExplicitAny'],
  ['src/engine/a.ts', `export const a = (b?: string) => b!.length;`, 'lint/style/noNonNullAssertion'],
];

const innocent: [file: string, code: string][] = [
  ['src/engine/a.ts', `import '../generated/prisma/client.ts';\nimport './runs/index.ts';`],
  ['src/engine/runs/a.ts', `import '../settings.ts';\nimport '../../generated/prisma/client.ts';\nimport 'pg';`],
  ['src/engine/runs/sql/a.ts', `import '../../settings.ts';\nimport '@holdfast/sdk/protocol';`],
  ['src/schema/a.ts', `import '../engine/runs/index.ts';\nimport '@pothos/core';`],
  ['src/graphql/a.ts', `import '../schema/index.ts';\nimport 'graphql-yoga';\nimport 'graphql';`],
  ['src/graphql/b.ts', `import '../http/index.ts';`],
  ['src/rest/a.ts', `import '../http/index.ts';`],
  ['src/rest/routes/a.ts', `import '../../schema/execute.ts';\nimport 'express';`],
  ['src/workers/dispatcher/a.ts', `import '../../engine/passes/index.ts';\nimport 'ws';`],
  ['src/workers/dispatcher/b.ts', `import '../../http/index.ts';`],
  ['src/settings.ts', `export const home = process.env['HOME'];`],
  ['sdk/src/execute/a.ts', `import '../protocol.ts';`],
];

describe('the linter', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-lint-'));
    const config = JSON.parse(await readFile(join(projectRoot, 'biome.json'), 'utf8'));
    await write('biome.json', JSON.stringify({ ...config, $schema: undefined, vcs: { enabled: false } }));
    await write('src/engine/y.ts', `import './x.ts';\nexport const y = 1;`);
    await write('src/engine/later.ts', 'export async function later(): Promise<void> {}');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const write = async (file: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${content}\n`);
  };
  const lint = async (file: string, code: string): Promise<string[]> => {
    await write(file, code);
    const biome = join(projectRoot, 'node_modules', '.bin', 'biome');
    const { stdout } = spawnSync(biome, ['lint', '--reporter=json', file], { cwd: folder, encoding: 'utf8' });
    const report: { diagnostics: { category: string; severity: string }[] } = JSON.parse(stdout);
    return report.diagnostics.filter(({ severity }) => severity === 'error').map(({ category }) => category);
  };

  test.each(violations)('refuses in %s: %s', async (file, code, rule) => {
    expect(await lint(file, code)).toContain(rule);
  });

  test.each(innocent)('accepts in %s: %s', async (file, code) => {
    expect(await lint(file, code)).toEqual([]);
  });
});
