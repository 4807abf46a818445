import { describe, expect, it } from 'vitest';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import type { FailureContext } from '../../../sdk/src/workflow.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const child = defineWorkflow('shop', { id: 'child' }, async () => ({ parcel: 'p1' }));

describe('step.runWorkflow', () => {
  it('addresses a workflow by its value with its app, and parks', async () => {
    const w = workflow(({ step }) =>
      step.runWorkflow('call', child, { data: { n: 1 }, runner: 'gpu', tags: { a: 'b' } }),
    );
    expect(await pass(w)).toMatchObject({
      status: 206,
      opcodes: [
        {
          op: 'RunWorkflow',
          id: hashStepId('call'),
          name: 'call',
          childName: 'child',
          childApp: 'shop',
          childRunner: 'gpu',
          childTags: { a: 'b' },
          childData: { n: 1 },
        },
      ],
    });
    expect(await pass(w, { memo: { call: { pending: true } } })).toMatchObject({ status: 206, opcodes: [] });
  });

  it('leaves the app of a mere name, the data and all else to the service', async () => {
    const w = workflow(({ step }) => step.runWorkflow('call', { name: 'child' }));
    expect((await pass(w)).opcodes).toEqual([
      { op: 'RunWorkflow', id: hashStepId('call'), name: 'call', childName: 'child' },
    ]);
  });

  it('gives back the result of the child, whatever it is', async () => {
    const w = workflow(({ step }) => step.runWorkflow('call', child));
    expect(await pass(w, { memo: { call: { data: { parcel: 'p2' } } } })).toMatchObject({ data: { parcel: 'p2' } });
    expect(await pass(w, { memo: { call: { data: null } } })).toMatchObject({ status: 200, data: null });
  });

  it('throws the error of the child with its name and message', async () => {
    const w = workflow(async ({ step }) => {
      try {
        await step.runWorkflow('call', child);
      } catch (error) {
        return error instanceof Error && `${error.name}: ${error.message}`;
      }
    });
    const memo = { call: { error: { name: 'OutOfStock', message: 'none left' } } };
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 'OutOfStock: none left' });
  });

  it('names the step whose data JSON cannot carry', async () => {
    const w = workflow(({ step }) => step.runWorkflow('call', { name: 'child' }, { data: { n: 1n } }));
    const [opcode] = (await pass(w)).opcodes;
    expect(opcode).toMatchObject({ op: 'StepRun', retriable: false });
    expect(opcode).toHaveProperty('error.message', expect.stringContaining('the data of step "call" cannot be saved'));
  });

  it('starts several children in one pass', async () => {
    const w = workflow(({ step }) =>
      Promise.all(['a', 'b', 'c'].map((name) => step.runWorkflow('call', child, { data: name }))),
    );
    expect((await pass(w)).opcodes.map(({ name }) => name)).toEqual(['call', 'call:1', 'call:2']);
  });
});

describe('step.approval', () => {
  const ask = workflow(({ step }) =>
    step.approval('refund?', {
      tool: 'refund',
      args: { cents: 4200 },
      risk: 'high',
      policy: 'over 40',
      summary: 'a refund',
      context: 'twice late',
      escalatesTo: 'lead',
      timeout: '2h',
      onTimeout: 'fail',
    }),
  );

  it('proposes the action with its annotations and the deadline in ms, and parks', async () => {
    expect((await pass(ask)).opcodes).toEqual([
      {
        op: 'Approval',
        id: hashStepId('refund?'),
        name: 'refund?',
        tool: 'refund',
        data: { cents: 4200 },
        risk: 'high',
        policy: 'over 40',
        summary: 'a refund',
        context: 'twice late',
        escalatesTo: 'lead',
        timeoutMs: 7_200_000,
        onTimeout: 'fail',
      },
    ]);
    expect(await pass(ask, { memo: { 'refund?': { pending: true } } })).toMatchObject({ opcodes: [] });
  });

  it('proposes an action without arguments, too', async () => {
    const bare = workflow(({ step }) => step.approval('deploy?', { tool: 'deploy' }));
    expect((await pass(bare)).opcodes).toEqual([
      { op: 'Approval', id: hashStepId('deploy?'), name: 'deploy?', tool: 'deploy' },
    ]);
  });

  it('gives back the decision, a denial too', async () => {
    const decided = { args: { cents: 1 }, decidedBy: 'ann', decidedVia: 'api', decidedAt: '2030-01-01T00:00:00.000Z' };
    for (const decision of [
      { status: 'approved', editedArgs: { cents: 1 }, ...decided },
      { status: 'denied', ...decided },
    ]) {
      expect(await pass(ask, { memo: { 'refund?': { data: decision } } })).toMatchObject({
        status: 200,
        data: decision,
      });
    }
  });

  it('refuses what another kind of step saved under its name', async () => {
    expect(await pass(ask, { memo: { 'refund?': { data: 7 } } })).toMatchObject({
      status: 500,
      error: { name: 'NonDeterminismError' },
      retriable: false,
    });
  });
});

describe('step.score', () => {
  it('reports all that is given, and goes on with the id', async () => {
    const w = workflow(({ step }) => step.score('s', { name: 'quality', value: 0.9, model: 'm' }));
    expect((await pass(w)).opcodes).toEqual([
      { op: 'Score', id: hashStepId('s'), name: 's', data: { name: 'quality', value: 0.9, model: 'm' } },
    ]);
    expect(await pass(w, { memo: { s: { data: { scoreId: 'x' } } } })).toMatchObject({ data: { scoreId: 'x' } });
    expect(await pass(w, { memo: { s: { data: 1 } } })).toMatchObject({ error: { name: 'NonDeterminismError' } });
  });

  it('is done at once: it does not hold up the pass beside a step that is parked', async () => {
    const w = workflow(({ step }) =>
      Promise.all([step.sleep('nap', '1h'), step.score('s', { name: 'quality', value: true })]),
    );
    expect((await pass(w)).opcodes.map(({ op }) => op)).toEqual(['Sleep', 'Score']);
  });
});

describe('step.webhook', () => {
  const url = 'https://partner.example/hooks';
  const w = workflow(({ step }) => step.webhook('tell', { url, data: { n: 1 } }));

  it('reports the address and the data, and goes on with the id of the delivery', async () => {
    expect((await pass(w)).opcodes).toEqual([
      { op: 'Webhook', id: hashStepId('tell'), name: 'tell', webhookUrl: url, data: { n: 1 } },
    ]);
    const memo = { tell: { data: { deliveryId: 'x' } } };
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: { deliveryId: 'x' } });
  });

  it('leaves out data that is not given, and takes a URL object', async () => {
    const bare = workflow(({ step }) => step.webhook('tell', { url: new URL(url) }));
    expect((await pass(bare)).opcodes).toEqual([
      { op: 'Webhook', id: hashStepId('tell'), name: 'tell', webhookUrl: url },
    ]);
  });

  it('is done at once: it does not hold up the pass beside a step that is parked', async () => {
    const both = workflow(({ step }) => Promise.all([step.sleep('nap', '1h'), step.webhook('tell', { url })]));
    expect((await pass(both)).opcodes.map(({ op }) => op)).toEqual(['Sleep', 'Webhook']);
  });

  it('throws the refusal of the address, which the handler may catch', async () => {
    const catching = workflow(({ step }) => step.webhook('tell', { url }).catch((error: Error) => error.message));
    const memo = { tell: { error: { message: 'webhookUrl must be an http or https URL' } } };
    expect(await pass(catching, { memo })).toMatchObject({ data: 'webhookUrl must be an http or https URL' });
  });

  it('refuses what another kind of step saved under its name, and data that JSON cannot carry', async () => {
    expect(await pass(w, { memo: { tell: { data: 7 } } })).toMatchObject({
      status: 500,
      error: { name: 'NonDeterminismError' },
    });
    const lossy = workflow(({ step }) => step.webhook('tell', { url, data: 1n }));
    expect((await pass(lossy)).opcodes).toMatchObject([
      { op: 'StepRun', retriable: false, error: { message: expect.stringContaining('the data of step "tell"') } },
    ]);
  });
});

describe('onFailure', () => {
  it('is called with the error of the failed run, and with what that run was started with', async () => {
    const seen: FailureContext[] = [];
    const w = defineWorkflow(
      'shop',
      { id: 'w', onFailure: async (context) => seen.push(context) },
      async () => 'not called',
    );
    const error = { name: 'Declined', message: 'no money', stack: 'Declined: no money\n    at bank' };
    const data = { runId: 'r0', app: 'shop', workflow: 'w', error, event: { name: 'order.paid', data: { n: 1 } } };
    const answer = await pass(w, { event: { name: 'workflow.failed', data }, ctx: { onFailure: true, error } });
    expect(answer).toMatchObject({ status: 200, data: 1 });
    expect(seen[0]?.error).toBeInstanceOf(Error);
    expect(seen[0]?.error).toMatchObject(error);
    expect(seen[0]?.event).toEqual({ name: 'workflow.failed', data });
  });
});
