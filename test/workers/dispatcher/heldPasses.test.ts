import { expect, it } from 'vitest';
import type { ClaimedPass } from '../../../src/engine/passes/index.ts';
import { HeldPass } from '../../../src/workers/dispatcher/passes/heldPasses.ts';
import { linkOf } from './kit/link.ts';

const pass: ClaimedPass = {
  runId: 'run',
  laneId: 1,
  dispatcherId: 'dispatcher',
  invokeText: () => '{}',
  continueText: () => undefined,
  started: () => undefined,
  settle: async () => 'released',
};

const illegal: unknown[] = [];
const newPass = () => new HeldPass(pass, (transition) => illegal.push(transition));

it('P1: a pass occupies a slot while it is invoked, and a pass that is over until its runner is done', () => {
  const [link, other] = [linkOf(), linkOf()];
  const held = newPass();
  expect(held.invoke(link, 'a')).toBe(true);
  expect(link.load).toBe(1);
  expect(held.transition('settling')).toBe(true);
  expect(link.load).toBe(0);
  expect(held.transition('waiting')).toBe(true);
  expect(held.invoke(other, 'b')).toBe(true);
  expect(held.transition('over')).toBe(true);
  expect([link.load, other.load]).toEqual([0, 1]);
  held.freeSlot();
  held.freeSlot();
  expect(other.load).toBe(0);
  expect(illegal).toEqual([]);
});

it('P3: an illegal transition changes nothing, and is reported', () => {
  const link = linkOf();
  const held = newPass();
  expect(held.transition('settling')).toBe(false);
  expect(held.invoke(link, 'a')).toBe(true);
  expect(held.invoke(link, 'b')).toBe(false);
  expect([held.state, held.invokeId, link.load]).toEqual(['invoked', 'a', 1]);
  expect(held.transition('over')).toBe(true);
  expect(held.transition('waiting')).toBe(false);
  expect(held.state).toBe('over');
  expect(illegal).toEqual([
    { runId: 'run', from: 'waiting', to: 'settling' },
    { runId: 'run', from: 'invoked', to: 'invoked' },
    { runId: 'run', from: 'over', to: 'waiting' },
  ]);
});
