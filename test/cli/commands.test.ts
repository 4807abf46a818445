import { describe, expect, it } from 'vitest';
import { authenticate, parseKey } from '../../src/engine/keys/index.ts';
import { ensureDefaultProject } from '../../src/engine/projects/index.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { useEngine } from '../support/engine.ts';
import { type CliResult, cli } from './cli.ts';

const test = useEngine();

const run = (...args: string[]): Promise<CliResult> => cli({ DATABASE_URL: test.url }, ...args);
const runJson = async (...args: string[]) => {
  const { code, out, err } = await run(...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
};
const principalOf = (token: string) => authenticate({ ...test.engine }, { authorization: `Bearer ${token}` });

describe('holdfast keys', () => {
  it('create issues a key that works, and says that it is shown this once', async () => {
    const { code, out } = await run('keys', 'create', '--project', 'default', '--name', 'ci', '--kind', 'secret');
    expect(code).toBe(0);
    const [token = ''] = out.split('\n');
    expect(parseKey(token)).toBe('secret');
    expect(out).toContain('cannot be shown again');
    const { id } = await ensureDefaultProject(test.engine);
    expect(await principalOf(token)).toMatchObject({ kind: 'secret', keyName: 'ci', projectId: id });
  });

  it('create is for the project default and a secret key unless told otherwise', async () => {
    const { apiKey } = await runJson('keys', 'create', '--name', 'plain');
    const { id } = await ensureDefaultProject(test.engine);
    expect(apiKey).toMatchObject({ kind: 'secret', projectId: id, expiresAt: null });
  });

  it.each([
    ['30d', 30 * 86_400_000],
    ['90m', 90 * 60_000],
  ])('create --expires %s', async (time, ms) => {
    const before = Date.now();
    const { apiKey } = await runJson('keys', 'create', '--name', 'short', '--expires', time);
    const expiresAt = Date.parse(apiKey.expiresAt);
    expect(expiresAt).toBeGreaterThanOrEqual(before + ms);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + ms);
  });

  it('create --expires takes a timestamp', async () => {
    const { apiKey } = await runJson('keys', 'create', '--name', 'dated', '--expires', '2999-01-01T00:00:00Z');
    expect(apiKey.expiresAt).toBe('2999-01-01T00:00:00.000Z');
  });

  it('create of a platform key belongs to no project, unless one is named', async () => {
    const { apiKey, token } = await runJson('keys', 'create', '--name', 'console', '--kind', 'platform');
    expect(apiKey.projectId).toBeNull();
    expect(parseKey(token)).toBe('platform');
    const { id } = await runJson('projects', 'create', 'bound').then(({ project }) => project);
    const bound = await runJson('keys', 'create', '--name', 'console', '--kind', 'platform', '--project', 'bound');
    expect(bound.apiKey.projectId).toBe(id);
  });

  it('list shows keys without their tokens; revoke ends one', async () => {
    const { id } = await runJson('projects', 'create', 'listed').then(({ project }) => project);
    const { apiKey, token } = await runJson('keys', 'create', '--project', id, '--name', 'doomed', '--kind', 'public');
    const { out } = await run('keys', 'list', '--project', 'listed');
    expect(out.split('\n')[0]).toMatch(/^ID +NAME +KIND +PROJECT +KEY +STATE +LAST USED$/);
    expect(out).toMatch(new RegExp(`${apiKey.id} +doomed +public +listed +hf_pk_….{4} +valid`));
    expect(out).not.toContain(token);
    expect(await run('keys', 'revoke', apiKey.id)).toMatchObject({ code: 0, out: expect.stringContaining('doomed') });
    expect((await run('keys', 'list', '--project', id)).out).toMatch(/doomed .* revoked \d{4}-/);
    await expect(principalOf(token)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});

describe('holdfast projects', () => {
  it('create, list and update', async () => {
    const { project } = await runJson('projects', 'create', 'shop', '--ceiling', '5');
    expect(project).toMatchObject({ name: 'shop', concurrencyCeiling: 5, suspended: false });
    expect(await runJson('projects', 'update', 'shop', '--suspend')).toMatchObject({ project: { suspended: true } });
    expect((await run('projects', 'list')).out).toMatch(new RegExp(`${project.id} +shop +5 +suspended`));
    const changed = await runJson('projects', 'update', project.id, '--resume', '--name', 'store', '--ceiling', '0');
    expect(changed).toMatchObject({ project: { name: 'store', suspended: false, concurrencyCeiling: 0 } });
    expect((await run('projects', 'list')).out).toMatch(/store +unlimited +active/);
  });
});

describe('what is wrong is said in one line, with exit code 1', () => {
  it.each([
    [['keys', 'create'], "required option '--name <name>' not specified"],
    [['keys', 'create', '--name', 'x', '--kind', 'operator'], 'Allowed choices are secret, public, platform'],
    [['keys', 'create', '--name', ' '], 'name: must be a non-blank string'],
    [['keys', 'create', '--name', 'x', '--project', 'nowhere'], 'there is no project "nowhere"'],
    [['keys', 'create', '--name', 'x', '--expires', 'soon'], '--expires: must be a time like'],
    [['keys', 'create', '--name', 'x', '--expires', '2999-99-99T00:00:00Z'], '--expires: there is no such time'],
    [['keys', 'create', '--name', 'x', '--expires', '2030-02-30T00:00:00Z'], '--expires: there is no such time'],
    [['keys', 'create', '--name', 'x', '--expires', '2030-02-01'], '--expires: there is no such time'],
    [['keys', 'create', '--name', 'x', '--expires', '2001-01-01T00:00:00Z'], 'expiresAt: must be in the future'],
    [['keys', 'list', '--limit', 'many'], 'limit must be an integer'],
    [['keys', 'revoke', 'nothing'], 'API key not found'],
    [['projects', 'create', 'x', '--ceiling', '-1'], 'concurrencyCeiling: must be an integer'],
    [['projects', 'update', 'nowhere', '--suspend'], 'there is no project "nowhere"'],
    [['projects', 'update', 'default'], 'nothing to change'],
    [['projects', 'update', 'default', '--suspend', '--resume'], 'exclude each other'],
    [['doctor', '--since', 'yesterday'], '--since: must be a time like'],
    [['doctor', '--only', 'I99'], 'only: must be among I1'],
    [['dance'], "unknown command 'dance'"],
  ])('%j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('a name in use', async () => {
    await run('projects', 'create', 'taken');
    expect(await run('projects', 'create', 'taken')).toMatchObject({
      code: 1,
      err: 'holdfast: project name already in use\n',
    });
  });

  it('a database that does not answer', async () => {
    const { code, err } = await cli({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'keys', 'list');
    expect(code).toBe(1);
    expect(err).toMatch(/^holdfast: cannot use the database: .*Check DATABASE_URL/);
  });

  it('an environment that is not understood', async () => {
    const { code, err } = await cli({ DATABASE_URL: 'mysql://localhost' }, 'keys', 'list');
    expect(code).toBe(1);
    expect(err).toContain('DATABASE_URL: must be a postgresql:// URL');
  });
});

describe('a database that nothing was made in yet', () => {
  it('is prepared by what manages it, and left alone by the doctor', async () => {
    const { url, drop } = await createEmptyDatabase();
    try {
      const env = { DATABASE_URL: url };
      expect(await cli(env, 'doctor')).toMatchObject({
        code: 1,
        err: expect.stringContaining('this database holds no Holdfast'),
      });
      expect(await cli(env, 'keys', 'create', '--name', 'first')).toMatchObject({ code: 0, err: '' });
      expect(await cli(env, 'doctor')).toMatchObject({ code: 0, out: expect.stringContaining('No violations.') });
    } finally {
      await drop();
    }
  });
});

describe('holdfast doctor', () => {
  it('says what it looked at and what holds', async () => {
    const { code, out } = await run('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +I3 +a run has ended/m);
    expect(out).toContain('No violations.');
    expect((await run('doctor', '--since', 'all', '--only', 'I1, I4')).out).not.toContain('I3');
  });

  it('ends with 1 and names what is violated', async () => {
    const { id } = await ensureDefaultProject(test.engine);
    const runId = '01930000-0000-7000-8000-000000000001';
    await test.db.query(
      `insert into run (id, project_id, app, workflow, version, status, trigger_kind, input)
       values ($1, $2, 'a', 'w', 'v', 'queued', 'manual', '{}')`,
      [runId, id],
    );
    try {
      const { code, out } = await run('doctor');
      expect(code).toBe(1);
      expect(out).toMatch(new RegExp(`^FAIL +I3.*\\n +run ${runId} is queued, but has no queue row$`, 'm'));
      expect(out).toContain('1 violation.');
      const json = await run('doctor', '--json');
      expect(json.code).toBe(1);
      expect(JSON.parse(json.out)).toMatchObject({ violations: 1, gaveUp: 0 });
    } finally {
      await test.db.query('delete from run where id = $1', [runId]);
    }
  });
});

describe('holdfast --help', () => {
  it('lists the commands, and which database they use', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const word of ['keys', 'projects', 'doctor', 'DATABASE_URL']) expect(out).toContain(word);
  });
});
