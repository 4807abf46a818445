import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startRest } from './restServer.ts';

test('no answer, table, audit entry or log line shows a secret or token but the answer that returns it', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const rest = await startRest({ settings: { baseUrl: 'https://hooks.example.com' } });
  Object.assign(rest.engine, { log });
  const secrets: string[] = [];
  const written = async (method: string, path: string, body: object) => {
    const answer = await rest.call(method, path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    secrets.push(answer.body.secret);
    return answer.body;
  };
  const endpoint = await written('POST', '/webhook-endpoints', {
    url: 'https://example.com',
    eventKinds: ['run.failed'],
  });
  const source = await written('POST', '/webhook-sources', { eventName: 'x', scheme: 'standard', name: 'n' });
  await written('PATCH', `/webhook-endpoints/${endpoint.id}`, { secret: 'an adopted endpoint secret' });
  await written('PATCH', `/webhook-sources/${source.id}`, { rotateSecret: true });
  expect(secrets).toHaveLength(4);

  const refusals = [
    await rest.call('PATCH', `/webhook-sources/${source.id}`, { secret: 'an adopted source secret' }),
    await rest.call('POST', '/webhook-sources', {
      eventName: 'x',
      token: source.token,
      secret: 'an adopted source secret',
    }),
    await rest.call('POST', '/webhook-sources', { eventName: 'x', name: 'n', secret: 'an adopted source secret' }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 409, 409]);
  const reads = [];
  for (const path of [
    '/webhook-endpoints',
    `/webhook-endpoints/${endpoint.id}`,
    '/webhook-sources',
    `/webhook-sources/${source.id}`,
    '/control-actions',
  ])
    reads.push(await rest.call('GET', path));
  const shown = [...refusals, ...reads].map(({ text }) => text).join('\n');
  for (const secret of [...secrets, 'an adopted source secret']) expect(shown).not.toContain(secret);
  expect([...refusals, reads[0], reads[1], reads[4]].map((each) => each?.text).join()).not.toContain(source.token);

  // Secrets and tokens stand in no table in the clear: neither as text, nor in bytes.
  const { db } = rest.engine;
  const tables = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { name } of tables.rows) {
    const { rows } = await db.query<{ row: string }>(`select row_to_json(t)::text as row from "${name}" as t`);
    const stored = rows.map(({ row }) => row).join('\n');
    for (const secret of [...secrets, source.token]) {
      expect(stored, name).not.toContain(secret);
      expect(stored, name).not.toContain(Buffer.from(secret).toString('hex'));
    }
  }
  const logged = lines.join('');
  expect(logged).toContain('webhook source created');
  for (const secret of [...secrets, source.token, 'an adopted']) expect(logged).not.toContain(secret);
  await rest.close();
});
