import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Bus } from '../../../src/engine/bus.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import {
  authenticate,
  createApiKey,
  flushKeyUsage,
  type Principal,
  revokeApiKey,
  watchKey,
} from '../../../src/engine/keys/index.ts';
import { keyRing } from '../../../src/engine/keys/keyRing.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let engine: EngineContext;

beforeAll(async () => {
  engine = test.engine;
});
afterAll(() => flushKeyUsage(engine));

async function newCaller(expiresAt?: Date): Promise<{ principal: Principal; keyId: string }> {
  const projectId = await createTestProject(engine);
  const { apiKey, token } = await createApiKey(engine, { projectId, name: 'k', kind: 'secret', expiresAt });
  return { principal: await authenticate(engine, { authorization: `Bearer ${token}` }), keyId: apiKey.id };
}

describe('a revoked key stops what it opened (11)', () => {
  it('at once in the process that revoked it, each holder once', async () => {
    const { principal, keyId } = await newCaller();
    const [first, second] = [vi.fn(), vi.fn()];
    watchKey(engine, principal, first);
    watchKey(engine, principal, second);
    await revokeApiKey(engine, { id: keyId });
    await revokeApiKey(engine, { id: keyId });
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(1);
  });

  it('at the next check when another process revoked it, and the key is refused from then on', async () => {
    const { principal, keyId } = await newCaller();
    const ended = vi.fn();
    watchKey(engine, principal, ended);
    expect(await keyRing(engine).watch.runOnce()).toBe(0);
    await revokeApiKey({ ...engine, bus: new Bus() }, { id: keyId });
    expect(ended).not.toHaveBeenCalled();
    expect(await keyRing(engine).watch.runOnce()).toBe(1);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(await keyRing(engine).watch.runOnce()).toBe(0);
  });

  it('when the key expires, or is gone', async () => {
    const expiring = await newCaller(new Date(clock.now().getTime() + 1000));
    const gone = await newCaller();
    const ended = vi.fn();
    watchKey(engine, expiring.principal, ended);
    watchKey(engine, gone.principal, ended);
    clock.advance(1000);
    await engine.db.prisma.apiKey.delete({ where: { id: gone.keyId } });
    expect(await keyRing(engine).watch.runOnce()).toBe(2);
    expect(ended).toHaveBeenCalledTimes(2);
  });

  it('a listener that stopped is not called, others of the same key are', async () => {
    const { principal, keyId } = await newCaller();
    const [left, stayed] = [vi.fn(), vi.fn()];
    const leave = watchKey(engine, principal, left);
    watchKey(engine, principal, stayed);
    leave();
    leave();
    await revokeApiKey(engine, { id: keyId });
    expect(left).not.toHaveBeenCalled();
    expect(stayed).toHaveBeenCalledTimes(1);
  });

  it('the operator key never ends', () => {
    watchKey(engine, { kind: 'operator', keyName: 'operator', projectId: undefined }, () => {
      throw new Error('called');
    })();
  });
});
