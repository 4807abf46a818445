import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { createApiKey, hashKey, keyBounds, mintToken, revokeApiKey } from '../../../src/engine/keys/index.ts';
import { admitTicket, forgetTickets, issueTicket } from '../../../src/engine/tickets/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { limitsWith } from '../../support/settings.ts';

const clock = new ManualClock();
const test = useEngine({ clock, settings: { limits: limitsWith({ streamsPerKey: 3 }) } });
let engine: EngineContext;
/** The engine of another process on the same database. */
let other: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
  other = createEngine({ db: engine.db, log: engine.log, clock, settings: engine.settings });
  projectId = await createTestProject(engine);
});

const newKey = async (expiresAt?: Date): Promise<string> =>
  (await createApiKey(engine, { projectId, name: 'server', kind: 'secret', expiresAt })).apiKey.id;

const issue = async (keyId: string, path?: string): Promise<string> =>
  (await issueTicket(engine, { projectId, keyId, path })).ticket;

const caller = { isGone: () => false, whenOver: () => undefined };

/** Whether a ticket opens a stream. */
const opens = (ticket: string, { path = '/runs/stream', at = engine } = {}): Promise<boolean> =>
  admitTicket(at, { ticket, path }, caller).then(
    ({ turn }) => {
      turn.end();
      return true;
    },
    (error: Error) => {
      expect(error).toMatchObject({ kind: 'unauthenticated', message: expect.stringContaining('stream ticket') });
      return false;
    },
  );

describe('a stream ticket', () => {
  it('admits a caller that reads as with a public key, under the key that asked for it', async () => {
    const keyId = await newKey();
    const ticket = await issue(keyId);
    const { principal, turn } = await admitTicket(engine, { ticket, path: '/runs/stream' }, caller);
    turn.end();
    expect(principal).toEqual({ kind: 'public', keyId, keyName: 'server', projectId });
  });

  it('opens one stream', async () => {
    const ticket = await issue(await newKey());
    expect([await opens(ticket), await opens(ticket)]).toEqual([true, false]);
  });

  it('opens one stream for callers that come at the same time, also in several processes', async () => {
    const ticket = await issue(await newKey());
    const tries = [engine, other, engine, other].map((at) => opens(ticket, { at }));
    expect((await Promise.all(tries)).filter(Boolean)).toEqual([true]);
  });

  it('opens nothing a minute after its creation', async () => {
    const keyId = await newKey();
    const { ticket, expiresAt } = await issueTicket(engine, { projectId, keyId });
    expect(expiresAt.getTime()).toBe(clock.now().getTime() + 60_000);
    const late = await issue(keyId);
    clock.advance(59_999);
    expect(await opens(ticket)).toBe(true);
    clock.advance(1);
    expect(await opens(late)).toBe(false);
  });

  it('opens only the path that it names, and is used by another one', async () => {
    const keyId = await newKey();
    const [right, slash, wrong] = [
      await issue(keyId, '/runs/1/stream'),
      await issue(keyId, '/events/stream/'),
      await issue(keyId, '/events/stream'),
    ];
    expect(await opens(right, { path: '/runs/1/stream/' })).toBe(true);
    expect(await opens(slash, { path: '/events/stream' })).toBe(true);
    expect(await opens(wrong, { path: '/runs/stream' })).toBe(false);
    expect(await opens(wrong, { path: '/events/stream' })).toBe(false);
  });

  it.each(['', 'runs', '/runs', '/runs/stream?app=x', '/runs/stream#x', '/a b', '/ü', '/\0', `/${'x'.repeat(1000)}`])(
    'is refused for the path %j',
    async (path) => {
      await expect(issue(await newKey(), path)).rejects.toMatchObject({ kind: 'invalid', message: /^path: / });
    },
  );

  it('opens nothing after its key was revoked or has expired', async () => {
    const revoked = await newKey();
    const expired = await newKey(new Date(clock.now().getTime() + 1_000));
    const tickets = [await issue(revoked), await issue(expired)];
    await revokeApiKey(engine, { id: revoked });
    clock.advance(1_000);
    for (const ticket of tickets) expect(await opens(ticket)).toBe(false);
  });

  it('opens nothing if it is made up, and costs no statement if it is mangled', async () => {
    expect(await opens(mintToken('hf_st_').token)).toBe(false);
    const ticket = await issue(await newKey());
    const broken = { ...engine, db: undefined as never, root: undefined };
    for (const mangled of [`${ticket}x`, ticket.slice(0, -1), ticket.replace('hf_st_', 'hf_sk_'), ''])
      expect(await opens(mangled, { at: broken })).toBe(false);
    expect(await opens(ticket)).toBe(true);
  });

  it('is stored as its hash only', async () => {
    const ticket = await issue(await newKey());
    const { rows } = await engine.db.query('select t::text as row, token_hash as hash from stream_ticket t');
    expect(JSON.stringify(rows)).not.toContain(ticket);
    expect(rows.some(({ hash }) => hashKey(ticket).equals(hash))).toBe(true);
  });

  it('takes a turn among the requests of its key', async () => {
    const keyId = await newKey();
    const turns = keyBounds(engine).turns;
    const ends: (() => void)[] = [];
    const { principal } = await admitTicket(
      engine,
      { ticket: await issue(keyId), path: '/' },
      {
        isGone: () => false,
        whenOver: (then) => ends.push(then),
      },
    );
    expect(ends).toHaveLength(1);
    for (const end of ends) end();
    const next = turns.open(principal);
    expect(next.begun).toBeUndefined();
    next.end();
  });
});

describe('stream tickets', () => {
  it('are bounded per key: as many unused ones as streams', async () => {
    const keyId = await newKey();
    const tickets = [await issue(keyId), await issue(keyId), await issue(keyId)];
    await expect(issue(keyId)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'at most 3 unused stream tickets may exist for one key',
    });
    await issue(await newKey());
    await opens(tickets[0] ?? '');
    await issue(keyId);
    clock.advance(60_000);
    await issue(keyId);
  });

  it('are forgotten in pages when they have expired', async () => {
    clock.advance(60_000);
    await forgetTickets(engine);
    const keyId = await newKey();
    for (let count = 0; count < 3; count += 1) await issue(keyId);
    expect(await forgetTickets(engine)).toEqual({ forgotten: 0, full: false });
    clock.advance(60_000);
    expect(await forgetTickets(engine, 2)).toEqual({ forgotten: 2, full: true });
    expect(await forgetTickets(engine, 2)).toEqual({ forgotten: 1, full: false });
  });
});
