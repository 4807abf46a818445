import { describe, expect, it } from 'vitest';
import { Connection, type ConnectionChange } from '../../sdk/src/connect/connection.ts';
import { ReplayChecks } from '../../sdk/src/connect/replayChecks.ts';
import { Holdfast, HoldfastConfigError } from '../../sdk/src/index.ts';
import { httpDouble, json } from './support/httpDouble.ts';

/** Every call that connects to the service. */
async function refusals(hf: Holdfast): Promise<unknown[]> {
  const calls = [
    () => hf.connect(),
    () => hf.register({ url: 'https://runner.test/' }),
    () => hf.events.send({ name: 'x' }),
    () => hf.runs.get('r1'),
    () => hf.runs.stream('r1').next(),
  ];
  const outcomes = await Promise.allSettled(calls.map(async (call) => call()));
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'it was taken'));
}

describe('an invalid option is refused at every call, before a connection', () => {
  it.each([
    'localhost:4477',
    'file:///x',
    'ws://127.0.0.1:4400',
    'nowhere',
    '',
    'http://ada:secret@127.0.0.1:4400',
    'http://127.0.0.1:4400/?a=b',
    'http://127.0.0.1:4400/#a',
    4400,
  ])('as baseUrl: %s', async (baseUrl) => {
    for (const reason of await refusals(new Holdfast({ baseUrl: baseUrl as string, apiKey: 'hf_sk_x' }))) {
      expect(reason).toBeInstanceOf(HoldfastConfigError);
      expect(reason).toMatchObject({ message: expect.stringContaining('baseUrl (or HOLDFAST_URL)') });
      expect(String(reason)).not.toContain('secret');
    }
  });

  it.each(['hf_sk_…', 'hf_sk_é', 'hf_sk_a\nb', 'hf_sk_a b', ' \n', Buffer.from('hf_sk_x')])(
    'as apiKey: %j',
    async (apiKey) => {
      for (const reason of await refusals(new Holdfast({ baseUrl: 'http://127.0.0.1:9', apiKey: apiKey as string }))) {
        expect(reason).toBeInstanceOf(HoldfastConfigError);
        expect(reason).toMatchObject({ message: expect.stringContaining('apiKey (or HOLDFAST_API_KEY)') });
        expect(String(reason)).not.toContain('hf_sk_');
      }
    },
  );

  it.each(['a\nb', ' ', 7])('as project: %j', async (project) => {
    const options = { baseUrl: 'http://127.0.0.1:9', apiKey: 'hf_plat_x', project: project as string };
    for (const reason of await refusals(new Holdfast(options))) expect(reason).toBeInstanceOf(HoldfastConfigError);
  });
});

it('white space around a key does not count: it was read from a file', async () => {
  const { url, seen } = await httpDouble((_seen, response) => json(response, 200, []));
  await new Holdfast({ baseUrl: ` ${url}//\n`, apiKey: '\thf_sk_x\r\n', project: 'shop\n' }).approvals.list();
  expect(seen).toMatchObject([
    { url: '/approvals?limit=100', headers: { authorization: 'Bearer hf_sk_x', 'x-service-project': 'shop' } },
  ]);
});

it('an error of the dial itself ends the connection, and rejects `ready` and resolves `closed`', async () => {
  const errors: string[] = [];
  const changes: ConnectionChange['state'][] = [];
  const connection = new Connection({
    url: 'no url',
    credentials: {},
    hello: { type: 'hello', protocolVersion: 1, app: 'a', workflows: [] } as never,
    maxInFlight: 1,
    held: { maxHeld: 0, heldMs: 1 },
    checks: new ReplayChecks({}),
    maxRequestBytes: 1,
    invoke: async () => undefined,
    logger: { info: () => {}, warn: () => {}, error: (message) => errors.push(message) },
    onChange: ({ state }) => changes.push(state),
  });
  await expect(connection.ready).rejects.toThrow('Invalid URL');
  expect(await connection.closed).toMatchObject({ message: expect.stringContaining('Invalid URL') });
  await connection.close();
  expect(changes).toEqual(['connecting', 'closed']);
  expect(errors).toEqual([expect.stringContaining('Invalid URL')]);
});
