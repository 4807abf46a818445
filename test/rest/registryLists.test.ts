import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
beforeAll(async () => {
  // All rows together exceed the limits of an answer and of a page.
  const limits = { ...defaultEngineSettings.limits, pageMaxBytes: 20_000, answerMaxBytes: 100_000 };
  rest = await startRest({ settings: { limits } });
  await insert(`insert into app (project_id, name) select $1, 'app ' || n from generate_series(1, 1250) n`);
  await insert(
    `insert into workflow
       (id, project_id, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms, on_failure, steps)
     select gen_random_uuid(), $1, 'app ' || n % 3, 'workflow ' || n, 'v', 1, 'fixed', 1, 1, false,
            json_build_array(json_build_object('name', repeat('x', case when n % 9 = 0 then 1000 else 1 end)))
     from generate_series(1, 5200) n`,
  );
  await insert(
    `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id)
     select gen_random_uuid(), $1, 'app ' || n % 3, 'runner ' || n, 'http', 'http://x', '{}', gen_random_uuid()
     from generate_series(1, 5200) n`,
  );
});
afterAll(() => rest.close());

const insert = (text: string) => rest.engine.db.query({ text, values: [rest.projectId] });

describe('a list of the registry holds everything, in order, however long it is', () => {
  it.each([
    ['/apps', 'app', ['name']],
    ['/workflows', 'workflow', ['app', 'name']],
    ['/runners', 'runner', ['app', 'runnerId']],
  ])('%s', async (path, table, names) => {
    const columns = names.map((name) => (name === 'runnerId' ? 'runner_id as "runnerId"' : name));
    const text = `select ${columns.join(', ')} from ${table} where project_id = $1 order by ${names.map((_, n) => n + 1)}`;
    const { rows } = await insert(text);
    const { status, headers, body } = await rest.call('GET', path);
    expect(status).toBe(200);
    expect(headers.get('x-next-cursor')).toBeNull();
    const places = body.map((row: Record<string, unknown>) =>
      Object.fromEntries(names.map((name) => [name, row[name]])),
    );
    expect(places).toEqual(rows);
  });

  it('of one app too', async () => {
    const { body } = await rest.call('GET', '/runners?app=app%201');
    expect(body).toHaveLength(1734);
    expect(new Set(body.map(({ app }: { app: string }) => app))).toEqual(new Set(['app 1']));
  });

  it('for none but the project of the key', async () => {
    const { secret } = await rest.stranger();
    for (const path of ['/apps', '/workflows', '/runners']) {
      expect((await rest.call('GET', path, undefined, { key: secret })).body).toEqual([]);
    }
  });
});
