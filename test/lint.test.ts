import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
  ['src/engine/flow/policies/batch/a.ts', `import '../../../../settings.ts';`, importRule],
  ['src/engine/flow/policies/batch/a.ts', `import 'graphql';`, importRule],
  ['src/engine/flow/policies/batch/sql/a.ts', `import '../../../../../settings.ts';`, importRule],
  ['src/engine/flow/policies/batch/sql/a.ts', `import 'express';`, importRule],
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
  ['src/console/a.ts', `import '../schema/index.ts';`, importRule],
  ['src/console/a.ts', `import 'pg';`, importRule],
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
  ['src/engine/flow/policies/batch/a.ts', `import '../../../settings.ts';\nimport 'zod';`],
  ['src/engine/flow/policies/batch/sql/a.ts', `import '../../../../settings.ts';`],
  ['src/schema/a.ts', `import '../engine/runs/index.ts';\nimport '@pothos/core';`],
  ['src/graphql/a.ts', `import '../schema/index.ts';\nimport 'graphql-yoga';\nimport 'graphql';`],
  ['src/graphql/b.ts', `import '../http/index.ts';`],
  ['src/rest/a.ts', `import '../http/index.ts';`],
  ['src/rest/routes/a.ts', `import '../../schema/execute.ts';\nimport 'express';`],
  ['src/workers/dispatcher/a.ts', `import '../../engine/passes/index.ts';\nimport 'ws';`],
  ['src/console/a.ts', `import '../http/index.ts';\nimport '../engine/keys/index.ts';\nimport 'express';`],
  ['src/workers/dispatcher/b.ts', `import '../../http/index.ts';`],
  ['src/settings.ts', `export const home = process.env['HOME'];`],
  ['sdk/src/execute/a.ts', `import '../protocol.ts';`],
];

/** A file of a room, its code, and the part of the complaint that says what is wrong. */
const roomViolations: [file: string, code: string, complaint: string][] = [
  ['src/engine/runs/a.ts', `import '../work/index.ts';`, 'the room work does not stand below runs'],
  ['src/engine/runs/a.ts', `import type { A } from '../work/index.ts';`, 'the room work does not stand below runs'],
  ['src/engine/a.ts', `import './json/index.ts';`, 'the room json does not stand below .'],
  ['src/engine/db/a.ts', `import './pool/index.ts';`, 'the room db/pool does not stand below db'],
  ['src/engine/work/a.ts', `import '../runs/status.ts';`, 'the room runs is entered by src/engine/runs/index.ts'],
  ['src/engine/work/sql/a.ts', `import '../../runs/sql/b.ts';`, 'the room runs is entered by src/engine/runs/index.ts'],
  ['src/schema/resources/a.ts', `import '../../engine/runs/status.ts';`, 'is entered by src/engine/runs/index.ts'],
  ['src/service.ts', `export { A } from './engine/db/pool/open.ts';`, 'is entered by src/engine/db/pool/index.ts'],
  ['src/engine/work/index.ts', `export { A } from '../runs/index.ts';`, 'an index lists its own room only'],
  ['src/engine/novel/a.ts', `export const a = 1;`, 'its room is not in src/rooms.json'],
  ['src/schema/machinery/a.ts', `import '../resources/b.ts';`, 'the room resources does not stand below machinery'],
  ['src/rest/declare/a.ts', `import '../app.ts';`, 'the room . does not stand below declare'],
  ['src/workers/inference/a.ts', `import '@ai-sdk/openai';`, 'only src/workers/inference/provider/adapter.ts does'],
  ['src/engine/runs/a.ts', `import type { A } from '@ai-sdk/provider';`, 'adapter.ts does'],
];

const innocentOfRooms: [file: string, code: string][] = [
  ['src/engine/work/a.ts', `import '../runs/index.ts';\nimport '../errors.ts';\nimport './sql/b.ts';`],
  ['src/engine/work/sql/b.ts', `import '../../db/index.ts';\nimport '../a.ts';`],
  ['src/engine/work/index.ts', `export { A } from './a.ts';`],
  ['src/schema/resources/a.ts', `import '../../engine/runs/index.ts';\nimport '../machinery/b.ts';`],
  ['src/service.ts', `import './engine/errors.ts';\nimport './rest/app.ts';`],
  ['src/workers/inference/provider/adapter.ts', `import '@ai-sdk/openai';`],
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

describe('the order of the rooms', () => {
  const lint = async (file: string, code: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-rooms-'));
    try {
      const houses: { house: string; rooms: string[] }[] = JSON.parse(
        await readFile(join(projectRoot, 'src/rooms.json'), 'utf8'),
      );
      const rooms = houses.flatMap(({ house, rooms: names }) => names.map((room) => join(folder, house, room)));
      await Promise.all([...rooms, dirname(join(folder, file))].map((room) => mkdir(room, { recursive: true })));
      await cp(join(projectRoot, 'src/rooms.json'), join(folder, 'src/rooms.json'));
      await writeFile(join(folder, file), code);
      const script = join(projectRoot, 'scripts/lintRooms.mjs');
      return spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }).stderr;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  test.each(roomViolations)('refuses in %s: %s', async (file, code, complaint) => {
    expect(await lint(file, code)).toContain(complaint);
  });

  test.each(innocentOfRooms)('accepts in %s: %s', async (file, code) => {
    expect(await lint(file, code)).toBe('');
  });

  test('is the one that the description of the architecture shows', async () => {
    const [engine]: { rooms: string[] }[] = JSON.parse(await readFile(join(projectRoot, 'src/rooms.json'), 'utf8'));
    const page = await readFile(join(projectRoot, 'docs/internals/architecture.md'), 'utf8');
    const table = page.split('From the lowest to the highest:')[1]?.split('\n\n')[1] ?? '';
    const rows = table.split('\n').slice(2);
    const shown = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(shown.map((name) => (name === 'src/engine' ? '.' : name))).toEqual(engine?.rooms);
  });
});

test('the lock file holds a hash of every package, and no address', async () => {
  const lock: { packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }> } = JSON.parse(
    await readFile(join(projectRoot, 'package-lock.json'), 'utf8'),
  );
  const packages = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(packages.length).toBeGreaterThan(300);
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
