import { expect, it } from 'vitest';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

const frames = (stack: string | undefined): string[] =>
  (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));

function chargeCard(): never {
  throw new Error('declined');
}

it('the stack of a failed step holds the frames of the user, and none of the library or of Node', async () => {
  const workflow = defineWorkflow('shop', { id: 'w' }, ({ step }) => step.run('charge', () => chargeCard()));
  const [opcode] = (await pass(workflow)).opcodes;
  const stack = opcode?.op === 'StepRun' ? opcode.error?.stack : undefined;
  expect(stack).toMatch(/^Error: declined\n\s+at chargeCard .*stacks\.test\.ts/);
  expect(frames(stack).length).toBeGreaterThan(1);
  expect(frames(stack).filter((line) => /[\\/]sdk[\\/](src|dist)[\\/]|node:(internal|async_hooks)/.test(line))).toEqual(
    [],
  );
});

it('the stack of a failed handler holds the frames of the user alone, and those of causes', async () => {
  const workflow = defineWorkflow('shop', { id: 'w' }, () => {
    try {
      return chargeCard();
    } catch (cause) {
      throw new Error('not sold', { cause });
    }
  });
  const { error } = await pass(workflow);
  expect(error?.stack).toMatch(/^Error: not sold\n(?:.*\n)*Caused by: Error: declined\n\s+at chargeCard /);
  expect(frames(error?.stack).filter((line) => /[\\/]sdk[\\/](src|dist)[\\/]/.test(line))).toEqual([]);
});

it('a message that looks like a frame stays', async () => {
  const message = 'failed\n    at node:internal/a\n    at the end';
  const workflow = defineWorkflow('shop', { id: 'w' }, () => {
    throw new Error(message);
  });
  expect((await pass(workflow)).error?.stack).toContain(message);
});

it('an error without a stack has its name and message', async () => {
  const workflow = defineWorkflow('shop', { id: 'w' }, () => {
    const error = new Error('bare');
    delete error.stack;
    throw error;
  });
  expect((await pass(workflow)).error?.stack).toMatch(/^Error: bare/);
});
