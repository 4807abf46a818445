import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicAddress } from '../../../sdk/repository.mjs';
import { projectRoot } from '../../support/build.ts';
import { call, type Packed, packSdk } from './packed.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await packSdk();
});
afterAll(() => packed[Symbol.asyncDispose]());

describe('the packed SDK', () => {
  it('holds every file that it exports, the license, and a page to read first', async () => {
    const manifest = JSON.parse(await readFile(join(packed.library, 'package.json'), 'utf8'));
    const targets: string[] = Object.values(manifest.exports).flatMap((target) => Object.values(Object(target)));
    const whole = Object.values(manifest.exports).filter((target) => typeof target === 'string');
    for (const file of [...targets.filter((each) => each.length > 1), ...whole])
      expect(existsSync(join(packed.library, String(file))), String(file)).toBe(true);
    expect(await readFile(join(packed.library, 'LICENSE'), 'utf8')).toBe(
      await readFile(join(projectRoot, 'LICENSE'), 'utf8'),
    );
    expect(existsSync(join(packed.library, 'README.md'))).toBe(true);
    expect(manifest).toMatchObject({ license: 'MIT', keywords: expect.arrayContaining(['durable execution']) });
  });

  it('holds a source map with its source for each module, and no file without a source', async () => {
    const files = await readdir(join(packed.library, 'dist'), { recursive: true });
    const modules = files.filter((file) => file.endsWith('.js'));
    expect(modules.length).toBeGreaterThan(80);
    for (const file of modules) {
      const map = JSON.parse(await readFile(join(packed.library, 'dist', `${file}.map`), 'utf8'));
      const source = await readFile(join(projectRoot, 'sdk', 'src', file.replace(/\.js$/, '.ts')), 'utf8');
      expect(map.sourcesContent, file).toEqual([source]);
    }
  });

  it('is imported from ES modules and, by require, from CommonJS', async () => {
    const script = `const h = LOAD; const hf = new h.Holdfast({ apiKey: 'k' });
      hf.workflow({ id: 'w', triggers: [h.eventType('a')] }, () => 1);
      console.log(JSON.stringify(hf.definitions()));`;
    await writeFile(join(packed.folder, 'a.mjs'), script.replace('LOAD', `await import('@holdfast/sdk')`));
    await writeFile(join(packed.folder, 'b.cjs'), script.replace('LOAD', `require('@holdfast/sdk')`));
    for (const file of ['a.mjs', 'b.cjs']) {
      const { code, output } = await call(process.execPath, ['--no-warnings', file], { cwd: packed.folder });
      expect({ file, code, output }).toEqual({ file, code: 0, output: '[{"name":"w","triggers":[{"event":"a"}]}]\n' });
    }
  });

  it('tests workflows without the library of guards, and names it where one is needed', async () => {
    const script = `import { Holdfast } from '@holdfast/sdk';
      import { testRun } from '@holdfast/sdk/testing';
      const w = new Holdfast({ apiKey: 'k' }).workflow({ id: 'w', triggers: [{ event: 'a', if: 'data.n > 1' }] }, () => 1);
      const event = { data: { n: 2 } };
      const { result } = await testRun(w, { event, guards: { 'data.n > 1': ({ data }) => data.n > 1 } });
      console.log(result, await testRun(w, { event }).catch((error) => error.message));`;
    await writeFile(join(packed.folder, 'tested.mjs'), script);
    const { output } = await call(process.execPath, ['--no-warnings', 'tested.mjs'], { cwd: packed.folder });
    expect(output).toContain('1 the guard "data.n > 1" needs @marcbachmann/cel-js');
    expect(output).toContain('npm install --save-dev @marcbachmann/cel-js@8.0.0');
  });

  it('names the repository from which it was cloned, without credentials', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-clone-'));
    try {
      const sdk = join(folder, 'sdk');
      await cp(join(projectRoot, 'sdk'), sdk, { recursive: true, filter: (path) => !/[\\/]dist([\\/]|$)/.test(path) });
      await cp(join(projectRoot, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
      await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
      const before = await readFile(join(sdk, 'package.json'), 'utf8');
      await call('git', ['init', '--quiet'], { cwd: folder });
      await call('git', ['remote', 'add', 'origin', 'https://ann:secret@git.example/team/durable.git'], {
        cwd: folder,
      });
      const { code, output } = await call('npm', ['pack', '--pack-destination', folder], { cwd: sdk });
      expect({ code, output }).toMatchObject({ code: 0 });
      const [tarball = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
      const manifest = await call('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder });
      const url = 'git+https://git.example/team/durable.git';
      expect(JSON.parse(manifest.output).repository).toEqual({ type: 'git', url, directory: 'sdk' });
      expect(manifest.output).not.toContain('secret');
      expect(await readFile(join(sdk, 'package.json'), 'utf8')).toBe(before);
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 120_000);

  it.each([
    ['git@git.example:team/durable.git', 'git+https://git.example/team/durable.git'],
    ['ssh://git@git.example/team/durable', 'git+https://git.example/team/durable.git'],
    ['https://git.example/durable/', 'git+https://git.example/durable.git'],
    ['/srv/git/durable.git', undefined],
    ['../durable', undefined],
    ['', undefined],
  ])('takes the origin %j as the address %j', (origin, address) => {
    expect(publicAddress(origin)).toBe(address);
  });

  it('is not made where the compiler is missing, and the reason is given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bare-'));
    try {
      const sdk = join(folder, 'sdk');
      await cp(join(projectRoot, 'sdk'), sdk, { recursive: true, filter: (path) => !/[\\/]dist([\\/]|$)/.test(path) });
      const { code, output } = await call('npm', ['pack', '--pack-destination', folder], { cwd: sdk });
      expect(code).not.toBe(0);
      expect(output).toContain('@holdfast/sdk cannot be packed: the compiler is missing: run `npm ci`');
      expect((await readdir(folder)).filter((file) => file.endsWith('.tgz'))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
