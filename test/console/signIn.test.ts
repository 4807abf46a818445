import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/engine/clock.ts';
import { createApiKey, revokeApiKey } from '../../src/engine/keys/index.ts';
import { forgetTickets } from '../../src/engine/tickets/index.ts';
import type { Answered, RestServer } from '../rest/restServer.ts';
import { startConsole } from './consoleServer.ts';

const clock = new ManualClock();
const logged: string[] = [];
let rest: RestServer;

beforeAll(async () => {
  rest = await startConsole({ clock, onLog: (line) => logged.push(line) });
});
afterAll(() => rest.close());

const json = { 'content-type': 'application/json' };
const ask = (key: string | null, headers: Record<string, string> = {}): Promise<Answered> =>
  rest.call('POST', '/console/codes', undefined, { key, headers });
const exchange = (body: unknown, headers: Record<string, string> = json): Promise<Answered> =>
  rest.call('POST', '/console/session', body, { key: null, headers });

async function newCode(key = rest.keys.secret, headers: Record<string, string> = {}): Promise<string> {
  const answer = await ask(key, headers);
  expect(answer).toMatchObject({ status: 201, body: { code: expect.stringMatching(/^hf_cc_\w{49}$/) } });
  return answer.body.code;
}

const refused = {
  status: 401,
  body: { error: 'the sign-in code is unknown, used, older than 60 seconds, or its key has ended: get another one' },
};

const stored = async (): Promise<{ row: string; sealed: Buffer }[]> =>
  (await rest.engine.db.query('select t::text as row, sealed_key as sealed from stream_ticket t')).rows;

describe('POST /console/codes', () => {
  it('answers a code, and its end a minute later', async () => {
    const answer = await ask(rest.keys.secret);
    expect(answer.status).toBe(201);
    expect(Date.parse(answer.body.expiresAt)).toBe(clock.now().getTime() + 60_000);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('needs a key that may write, and is not the operator’s', async () => {
    expect(await ask(null)).toMatchObject({ status: 401 });
    expect(await ask('hf_sk_made_up')).toMatchObject({ status: 401 });
    expect(await ask(rest.keys.public)).toMatchObject({ status: 403 });
    expect(await ask(rest.keys.operator, { 'x-service-project': rest.projectId })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('paste the operator key') },
    });
  });
});

describe('POST /console/session', () => {
  it('exchanges a code for the key and its project, once', async () => {
    const code = await newCode();
    const answer = await exchange({ code });
    expect(answer).toMatchObject({ status: 200, body: { key: rest.keys.secret, project: rest.projectId } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await exchange({ code })).toMatchObject(refused);
  });

  it('lets one of several win that bring a code at the same time', async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange({ code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('exchanges the code of another project for that project’s key only', async () => {
    const other = await rest.stranger();
    const [own, theirs] = [await newCode(), await newCode(other.secret)];
    expect((await exchange({ code: theirs })).body).toEqual({ key: other.secret, project: other.projectId });
    expect((await exchange({ code: own })).body).toEqual({ key: rest.keys.secret, project: rest.projectId });
  });

  it('names the project for which a platform key asked', async () => {
    const { token } = await createApiKey(rest.engine, { name: 'platform', kind: 'platform' });
    const code = await newCode(token, { 'x-service-project': rest.projectId });
    expect((await exchange({ code })).body).toEqual({ key: token, project: rest.projectId });
  });

  it('refuses a code after a minute, and the scheduler deletes it with its key', async () => {
    await rest.engine.db.query('delete from stream_ticket');
    const [timely, late] = [await newCode(), await newCode()];
    clock.advance(59_999);
    expect(await exchange({ code: timely })).toMatchObject({ status: 200 });
    clock.advance(1);
    expect(await exchange({ code: late })).toMatchObject(refused);
    expect(await stored()).toHaveLength(1);
    await forgetTickets(rest.engine);
    expect(await stored()).toEqual([]);
  });

  it('refuses a code whose key was revoked or expired meanwhile', async () => {
    const newKey = (expiresAt?: Date) =>
      createApiKey(rest.engine, { projectId: rest.projectId, name: 'short', kind: 'secret', expiresAt });
    const [revoked, expired] = [await newKey(), await newKey(new Date(clock.now().getTime() + 1_000))];
    const codes = [await newCode(revoked.token), await newCode(expired.token)];
    await revokeApiKey(rest.engine, { id: revoked.apiKey.id });
    clock.advance(1_000);
    for (const code of codes) expect(await exchange({ code })).toMatchObject(refused);
  });

  it('refuses what is no code: made up, mangled, a key, the ticket of a stream', async () => {
    const code = await newCode();
    const { ticket } = (await rest.call('POST', '/stream-tickets')).body;
    for (const wrong of [`${code}x`, code.slice(0, -1), code.replace('cc', 'st'), rest.keys.secret, ticket, ''])
      expect(await exchange({ code: wrong })).toMatchObject(refused);
    expect(await rest.call('GET', `/runs/stream?ticket=${code}`, undefined, { key: null })).toMatchObject({
      status: 401,
    });
    expect(await exchange({ code })).toMatchObject({ status: 200 });
  });

  it('refuses sealed bytes that were moved to another code', async () => {
    await rest.engine.db.query('delete from stream_ticket');
    const other = await rest.stranger();
    await newCode(other.secret);
    const [theirs] = await stored();
    const code = await newCode();
    await rest.engine.db.query({ text: 'update stream_ticket set sealed_key = $1', values: [theirs?.sealed] });
    expect(await exchange({ code })).toMatchObject(refused);
  });

  it.each([
    [{}, 400],
    [{ code: 7 }, 400],
    ['{', 400],
    ['', 400],
    [{ code: 'x'.repeat(2_000) }, 413],
  ])('answers %j with %i', async (body, status) => {
    expect((await exchange(body)).status).toBe(status);
  });

  it('refuses pages of other origins, and other types of bodies, which a page could send anywhere', async () => {
    const code = await newCode();
    expect(await exchange({ code }, { ...json, origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await exchange({ code }, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await exchange({ code }, { ...json, origin: rest.url })).toMatchObject({ status: 200 });
  });
});

it('no key and no code is in the log or in a table', async () => {
  logged.length = 0;
  const [code, used] = [await newCode(), await newCode()];
  await exchange({ code: used });
  await exchange({ code: used });
  await exchange({ code: 'hf_cc_wrong' });
  const rows = await stored();
  expect(rows.length).toBeGreaterThan(0);
  const sealed = Buffer.concat(rows.map((row) => row.sealed ?? Buffer.of()));
  for (const secret of [rest.keys.secret, code, used]) {
    expect(logged.join('')).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'));
    expect(sealed.includes(secret)).toBe(false);
  }
  expect(logged.join('')).toContain('request answered');
});
