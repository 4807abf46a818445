import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { retryRunFromStep } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { type Pass, type Reply, settlePass } from '../../../src/engine/passes/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, idOf, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';

const test = useEngine();
afterEach(() => onFailPoint(undefined));

const url = 'https://partner.example/hooks?from=holdfast';
const send = { op: 'Webhook' as const, name: 'tell', webhookUrl: url, data: { n: 1 } };

/** A flow that sends once, and ends with the memo of the step. */
const sendOnce = (opcode: Parameters<typeof steps>[0][number] = send) =>
  openScene(test, (request) => {
    const memo = memoOf(request, 'tell');
    return memo ? complete(memo) : steps([opcode]);
  });

const deliveriesOf = async (runId: string) => {
  const { rows } = await test.db.query(
    `select d.id, d.project_id, d.app, d.endpoint_id, d.url, d.event_kind, d.run_id, d.run_status, d.payload::text,
       d.status, d.attempt_count, d.is_test, w.lane, w.attempts, w.lease_id, w.due_at <= now() as is_due,
       (select count(*)::int from webhook_lane l where l.id = w.lane and l.project_id = d.project_id) as lanes
     from webhook_delivery d left join webhook_work w on w.delivery_id = d.id where d.run_id = $1 order by d.id`,
    [runId],
  );
  return rows;
};

describe('a custom send', () => {
  it('is a delivery of its run that waits for an attempt, and the memo of its step names it', async () => {
    const { projectId, start, dispatcher, run, stepRows } = await sendOnce();
    const runId = await start();
    await dispatcher.runOnce();
    const deliveries = await deliveriesOf(runId);
    expect(deliveries).toEqual([
      {
        id: expect.any(String),
        project_id: projectId,
        app: 'default',
        endpoint_id: null,
        url,
        event_kind: 'custom',
        run_id: runId,
        run_status: null,
        payload: '{"n":1}',
        status: 'pending',
        attempt_count: 0,
        is_test: false,
        lane: expect.any(String),
        attempts: 0,
        lease_id: null,
        is_due: true,
        lanes: 1,
      },
    ]);
    expect((await run(runId)).result).toEqual({ data: { deliveryId: deliveries[0]?.id } });
    expect(await stepRows(runId)).toMatchObject([
      { name: 'tell', op: 'Webhook', status: 'succeeded', input: { n: 1 } },
    ]);
  });

  it('has the data as its runner wrote it, or null', async () => {
    const texts = ['{"b": 1e400, "a": -0, "__proto__": 12345678901234567890}', '"a\\u0000\\ud800"', 'null', undefined];
    for (const text of texts) {
      const { start, dispatcher } = await openScene(test, (request) => {
        if (memoOf(request, 'tell')) return complete(1);
        const data = text === undefined ? '' : `,"data":${text}`;
        const opcode = `{"op":"Webhook","id":"${idOf('tell')}","name":"tell","webhookUrl":"${url}"${data}}`;
        return { kind: 'answer', status: 206, body: `{"opcodes":[${opcode}],"logs":[]}`, elapsedMs: 1 };
      });
      const runId = await start();
      await dispatcher.runOnce();
      expect(await deliveriesOf(runId)).toMatchObject([{ payload: text ?? 'null' }]);
    }
  });

  it('shares its lane with those of its project to the same origin, and with no other', async () => {
    const urls = {
      a: 'https://one.example/a',
      b: 'HTTPS://ONE.example:443/b?c',
      http: 'http://one.example/a',
      port: 'https://one.example:8443/a',
      other: 'https://two.example/a',
    };
    const opcodes = Object.entries(urls).map(([name, webhookUrl]) => ({ ...send, name, webhookUrl }));
    const lanes: string[][] = [];
    for (let projects = 0; projects < 2; projects += 1) {
      const { start, dispatcher } = await openScene(test, (request) =>
        memoOf(request, 'a') ? complete(1) : steps(opcodes),
      );
      const runId = await start();
      await dispatcher.runOnce();
      const deliveries = await deliveriesOf(runId);
      lanes.push(Object.values(urls).map((each) => deliveries.find((row) => row['url'] === each)?.['lane']));
    }
    const [first = [], second = []] = lanes;
    expect(first[0]).toBe(first[1]);
    expect(new Set(first)).toHaveLength(4);
    expect(new Set([...first, ...second])).toHaveLength(8);
  });

  it('is written with all others of its answer by one statement, and announced once after the commit', async () => {
    const opcodes = Array.from({ length: 1000 }, (_, n) => ({ ...send, name: `tell ${n}`, data: n }));
    const { start, dispatcher } = await openScene(test, (request) =>
      memoOf(request, 'tell 0') ? complete(1) : steps(opcodes),
    );
    const runId = await start();
    const seen: string[] = [];
    onFailPoint((point) => {
      if (point === 'insertCustomSends:before' || point === 'transaction:after') seen.push(point);
    });
    const stop = test.engine.bus.on('delivery.due', () => seen.push('delivery.due'));
    await dispatcher.runOnce();
    stop();
    expect(seen).toEqual(['insertCustomSends:before', 'transaction:after', 'delivery.due']);
    expect(await deliveriesOf(runId)).toHaveLength(1000);
  });

  it('is not repeated by a retry from a later step', async () => {
    const scene = await openScene(test, (request) => {
      if (memoOf(request, 'later')) return complete(memoOf(request, 'tell'));
      return steps([memoOf(request, 'tell') ? { op: 'StepRun', name: 'later', data: 1 } : send]);
    });
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const { projectId } = scene;
    const fork = await retryRunFromStep(test.engine, { projectId, runId, step: 'later', actor: 'test' });
    await scene.dispatcher.runOnce();
    expect(await deliveriesOf(fork.id)).toEqual([]);
    expect((await scene.run(fork.id)).result).toEqual((await scene.run(runId)).result);
  });
});

describe('a custom send whose address is refused', () => {
  const long = `https://partner.example/${'a'.repeat(2048)}`;

  it.each<[string, unknown, string]>([
    ['absent', undefined, 'webhookUrl must be a URL'],
    ['empty', '', 'webhookUrl must be a URL'],
    ['no text', 7, 'webhookUrl must be a URL'],
    ['no URL', 'partner', 'webhookUrl must be an http or https URL'],
    ['of another protocol', 'ftp://partner.example/', 'webhookUrl must be an http or https URL'],
    ['with a password', 'https://a:b@partner.example/', 'webhookUrl must not contain credentials'],
    ['of a metadata service', 'http://0xa9fea9fe/', 'webhookUrl must not address the metadata service of a cloud'],
    ['with U+0000', 'https://partner.example/\0', 'unsupported character in webhookUrl'],
    ['with half a surrogate pair', 'https://partner.example/\ud800', 'unsupported character in webhookUrl'],
    ['of 2049 characters', long.slice(0, 2049), 'webhookUrl may be at most 2048 characters long'],
  ])('fails its step for good, and the handler may catch it: %s', async (_, webhookUrl, message) => {
    const { start, dispatcher, run, stepRows } = await sendOnce({ ...send, webhookUrl });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { error: { message } } });
    expect(await stepRows(runId)).toMatchObject([{ name: 'tell', status: 'failed', willRetry: false }]);
    expect(await deliveriesOf(runId)).toEqual([]);
  });

  it.each(['http://127.0.0.1/', 'http://0x7f000001/', 'http://[::ffff:10.0.0.1]/', 'http://localhost:3000/'])(
    'fails its step where private addresses are not allowed: %s',
    async (webhookUrl) => {
      const { start, dispatcher, stepRows } = await sendOnce();
      const runId = await start();
      const [pass] = await dispatcher.claim();
      if (!pass) throw new Error('nothing was claimed');
      const guarded = createEngine({ ...test.engine, settings: { allowPrivateTargets: false } });
      await settlePass(guarded, pass, steps([{ ...send, webhookUrl }]));
      const message = 'webhookUrl must not address a private, loopback or link-local network';
      expect(await stepRows(runId)).toMatchObject([{ status: 'failed', error: { message } }]);
      await dispatcher.drive(pass);
      expect(await deliveriesOf(runId)).toEqual([]);
    },
  );
});

describe('a custom send exists once', () => {
  const reply: Reply = steps([send]);

  async function claimed() {
    const scene = await sendOnce();
    const runId = await scene.start();
    const [pass] = await scene.dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    return { ...scene, runId, pass };
  }

  async function endsWithOne({ runId, run }: Awaited<ReturnType<typeof claimed>>): Promise<void> {
    const deliveries = await deliveriesOf(runId);
    expect(deliveries).toHaveLength(1);
    expect(await run(runId)).toMatchObject({
      status: 'succeeded',
      result: { data: { deliveryId: deliveries[0]?.id } },
    });
  }

  it('also if its answer comes twice', async () => {
    const scene = await claimed();
    const copy: Pass = { ...scene.pass };
    await settlePass(test.engine, scene.pass, reply);
    expect(await settlePass(test.engine, copy, reply)).toBe('released');
    await scene.dispatcher.drive(scene.pass);
    await endsWithOne(scene);
  });

  it('also if two processes commit it at the same time', async () => {
    const scene = await claimed();
    const other = createEngine({ ...test.engine });
    const copy: Pass = { ...scene.pass };
    const settled = await Promise.all([settlePass(test.engine, scene.pass, reply), settlePass(other, copy, reply)]);
    expect(settled.sort()).toEqual(['again', 'released']);
    const winner = scene.pass.claimNo > copy.claimNo ? scene.pass : copy;
    await scene.dispatcher.drive(winner);
    await endsWithOne(scene);
  });

  it.each([
    'insertCustomSends:before',
    'insertCustomSends:after',
    'commitPasses:before',
    'commitPasses:after',
    'transaction:before',
    'transaction:after',
  ])('also if the connection is lost at %s', async (place) => {
    const scene = await claimed();
    let isLost = false;
    onFailPoint((point) => {
      if (point !== place || isLost) return;
      isLost = true;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    });
    const settlement = await settlePass(test.engine, scene.pass, reply);
    onFailPoint(undefined);
    expect(isLost).toBe(true);
    // If the first try was committed, the run was handed back.
    if (settlement === 'again') await scene.dispatcher.drive(scene.pass);
    const next = await new ScriptedDispatcher(test.engine, (request) => complete(memoOf(request, 'tell'))).start();
    await next.runOnce();
    await endsWithOne(scene);
  });
});
