import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { createApiKey } from '../../../src/engine/keys/index.ts';
import { meet } from '../../support/meeting.ts';
import { asking, minute, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
beforeAll(async () => {
  scene = await openWrites();
});
afterAll(() => scene.close());

const opened = async (): Promise<string> => scene.approvalOf(await scene.start('pay'));
const approval = (id: string) => scene.engine.db.prisma.approval.findUniqueOrThrow({ where: { id } });
const declined = refused('the person did not agree: nothing was changed', 'FORBIDDEN');

describe('decide_approval at /mcp for a client that cannot ask', () => {
  it('decides at once, by mcp, and audits edited arguments', async () => {
    const id = await opened();
    const answer = await scene.tool('decide_approval', { id, status: 'approved', args: { amount: 4 } });
    expect(answer.structuredContent.approval).toMatchObject({
      id,
      status: 'approved',
      decidedVia: 'mcp',
      decidedBy: 'a secret key',
      editedArgs: { amount: 4 },
    });
    expect((await scene.audit()).at(-1)).toMatchObject({
      action: 'approve',
      detail: { approvalId: id, step: 'sign', editedArgs: true, via: 'mcp', client: { name: 'a test' } },
    });
    expect(await scene.tool('decide_approval', { id, status: 'denied' })).toMatchObject(
      refused('approval is not open', 'CONFLICT'),
    );
  });

  it('names the person whom a platform key acts for, and no person for another key', async () => {
    const { token } = await createApiKey(scene.engine, { name: 'the console', kind: 'platform' });
    const headers = { 'x-service-actor': 'ada@example.com', 'x-service-project': scene.projectId };
    const decidedBy = async (key: string): Promise<unknown[]> => {
      const id = await opened();
      const { structuredContent } = await scene.tool('decide_approval', { id, status: 'approved' }, { key, headers });
      const entry = (await scene.audit()).at(-1);
      expect(entry).toMatchObject({
        action: 'approve',
        detail: { approvalId: id, via: 'mcp', client: { name: 'a test' } },
      });
      return [structuredContent.approval.decidedBy, structuredContent.approval.decidedVia, entry?.actor];
    };
    expect(await decidedBy(token)).toEqual(['ada@example.com', 'mcp', 'the console']);
    expect(await decidedBy(scene.mcp.keys.secret)).toEqual(['a secret key', 'mcp', 'a secret key']);
    const id = await scene.start('waits');
    await scene.tool('cancel_run', { id }, { key: token, headers });
    expect((await scene.audit()).at(-1)).toMatchObject({ action: 'cancel', actor: 'the console', runId: id });
  });

  it.each(['recordDecision:before', 'recordDecision:after'])(
    'wins or loses against a decision by REST: one of them decides (%s)',
    async (at) => {
      for (const isFirst of [true, false]) {
        const id = await opened();
        const outcomes: string[] = [];
        const byMcp = async (): Promise<void> => {
          const { isError } = await scene.tool('decide_approval', { id, status: 'approved' });
          if (!isError) outcomes.push('mcp');
        };
        const byRest = async (): Promise<void> => {
          const { projectId } = scene;
          const decider = { decidedBy: 'x', decidedVia: 'api' } as const;
          const call = { projectId, approvalId: id, status: 'denied', args: undefined, decider, actor: 'x' } as const;
          await decideApproval(scene.engine, call).then(
            () => outcomes.push('api'),
            () => undefined,
          );
        };
        const [first, second] = isFirst ? [byMcp, byRest] : [byRest, byMcp];
        await meet(scene.engine.db, { at, first, second });
        expect(outcomes).toEqual([(await approval(id)).decidedVia]);
      }
    },
  );
});

describe('decide_approval at /mcp for a client that can ask its person', () => {
  const given = async () => ({ id: await opened(), status: 'approved', args: { amount: 4, note: '\u202ehi' } });

  it('shows the tool, the risk and the arguments, and changes nothing', async () => {
    const call = { ...(await given()), reason: 'seen\u202e' };
    const round = await scene.tool('decide_approval', call, asking);
    expect(round.resultType).toBe('input_required');
    const { message, requestedSchema, mode } = round.inputRequests.answer.params;
    expect(mode).toBe('form');
    expect(message).toContain('Approve the tool "refund"?\nRisk: "high". Step "sign" of workflow "pay" in app "shop"');
    expect(message).toContain('Summary: "Refund \\"Ann\\"\\nat once"');
    expect(message).toContain('Proposed arguments: {"amount":5,"big":"\\\\u202e"}');
    expect(message).toContain('Arguments as the agent changed them: {"amount":4,"note":"\\\\u202ehi"}');
    expect(message).toContain(`The agent's reason, which is recorded: "seen\\u202e"`);
    expect(requestedSchema).toMatchObject({
      type: 'object',
      properties: { status: { type: 'string', enum: ['approved', 'denied'] } },
      required: ['status'],
    });
    expect(await approval(call.id)).toMatchObject({ status: 'pending' });
  });

  it('records the answer of the person, whatever the model proposed', async () => {
    const call = await given();
    const round = await scene.tool('decide_approval', call, asking);
    const answer = { action: 'accept', content: { status: 'denied' } };
    const result = await scene.answer('decide_approval', call, round, answer);
    expect(result.structuredContent.approval).toMatchObject({ status: 'denied', decidedVia: 'mcp' });
    expect((await scene.audit()).at(-1)).toMatchObject({ action: 'deny', detail: { askedPerson: true } });
    expect(await scene.answer('decide_approval', call, round, answer)).toMatchObject(refused('approval is not open'));
  });

  it('changes nothing if the person declines, cancels, or sends something else', async () => {
    const call = await given();
    const round = await scene.tool('decide_approval', call, asking);
    for (const answer of [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept' },
      { action: 'accept', content: {} },
      { action: 'accept', content: { status: 'maybe' } },
    ])
      expect(await scene.answer('decide_approval', call, round, answer)).toMatchObject(declined);
    expect(await approval(call.id)).toMatchObject({ status: 'pending' });
  });

  it('changes nothing if the call or its state is another one', async () => {
    const call = await given();
    const round = await scene.tool('decide_approval', call, asking);
    const yes = { action: 'accept', content: { status: 'approved' } };
    const other = await given();
    expect(await scene.answer('decide_approval', other, round, yes)).toMatchObject(
      refused('requestState was given for other arguments'),
    );
    expect(await scene.answer('decide_approval', { ...call, args: { amount: 900 } }, round, yes)).toMatchObject(
      refused('requestState was given for other arguments'),
    );
    const caller = { ...asking, key: await scene.newKey() };
    expect(await scene.answer('decide_approval', call, round, yes, caller)).toMatchObject(
      refused('requestState was given for another key'),
    );
    const { requestState } = round;
    for (const altered of [requestState.slice(1), `${requestState.slice(0, -4)}AAAA`, ''])
      expect(await scene.answer('decide_approval', call, { requestState: altered }, yes)).toMatchObject({
        isError: true,
      });
    scene.clock.advance(10 * minute);
    expect(await scene.answer('decide_approval', call, round, yes)).toMatchObject({ isError: true });
    expect(await approval(call.id)).toMatchObject({ status: 'pending' });
  });

  it('refuses arguments that are too large to be shown', async () => {
    const call = { ...(await given()), args: { text: 'x'.repeat(9_000) } };
    expect(await scene.tool('decide_approval', call, asking)).toMatchObject(
      refused('args is too large to be shown to the person: at most 8000 characters of JSON'),
    );
  });

  it.each([
    ['a very long key', { ['k'.repeat(201)]: 900 }],
    ['keys that look alike', { '\u200b': 1, '\\u200b': 900 }],
  ])('refuses arguments of which a part cannot be shown: %s', async (_what, args) => {
    expect(await scene.tool('decide_approval', { ...(await given()), args }, asking)).toMatchObject(
      refused('args cannot be shown whole to the person: its keys must differ visibly and have at most 200 characters'),
    );
  });
});

describe('bulk_cancel_runs at /mcp for a client that can ask its person', () => {
  it('asks with counts and quoted values, then acts once, on no newer run', async () => {
    const id = await scene.start('waits', { tags: { of: 'a "test"' } });
    scene.clock.advance(5);
    const call = { workflow: 'waits', tags: { of: 'a "test"' } };
    const round = await scene.tool('bulk_cancel_runs', call, asking);
    const { message } = round.inputRequests.answer.params;
    expect(message).toContain('Cancel 1 run?\nFilter: workflow "waits", tags "{\\"of\\":');
    expect(message).toContain(`- ${id}: workflow "waits" of app "shop", waiting, created `);
    expect(round.structuredContent).toBeUndefined();
    const newer = await scene.start('waits', { tags: { of: 'a "test"' } });
    expect(await scene.answer('bulk_cancel_runs', call, round, { action: 'decline' })).toMatchObject(declined);
    const no = { action: 'accept', content: { confirm: false } };
    expect(await scene.answer('bulk_cancel_runs', call, round, no)).toMatchObject(declined);
    expect((await scene.run(id)).status).toBe('waiting');
    const yes = { action: 'accept', content: { confirm: true } };
    const done = await scene.answer('bulk_cancel_runs', call, round, yes);
    expect(done.structuredContent).toMatchObject({ cancelled: 1 });
    expect([(await scene.run(id)).status, (await scene.run(newer)).status]).toEqual(['cancelled', 'waiting']);
    expect(await scene.answer('bulk_cancel_runs', call, round, yes)).toMatchObject(
      refused('confirm was used before: 1 run cancelled, 0 skipped, 0 failed.'),
    );
  });

  it('takes no token from the model, and no token for a state', async () => {
    await scene.start('waits', { tags: { of: 'tokens' } });
    scene.clock.advance(5);
    const call = { workflow: 'waits', tags: { of: 'tokens' } };
    const { confirm } = (await scene.tool('bulk_cancel_runs', call)).structuredContent;
    expect(await scene.tool('bulk_cancel_runs', { ...call, confirm }, asking)).toMatchObject(
      refused('confirm is not taken from a client that can ask its person: call without it'),
    );
    const yes = { action: 'accept', content: { confirm: true } };
    expect(await scene.answer('bulk_cancel_runs', call, { requestState: confirm }, yes)).toMatchObject(
      refused('requestState is not as it was given: it was altered, or belongs elsewhere'),
    );
    const round = await scene.tool('bulk_cancel_runs', call, asking);
    expect(await scene.tool('bulk_cancel_runs', { ...call, confirm: round.requestState })).toMatchObject(
      refused('confirm is not as it was given: it was altered, or belongs elsewhere'),
    );
  });
});
