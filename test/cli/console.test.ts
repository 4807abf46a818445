import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/runCli.ts';
import { startConsole } from '../console/consoleServer.ts';
import { type RestServer, startRest } from '../rest/restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startConsole();
});
afterAll(() => rest.close());

/** Runs `holdfast console` with a browser that opens addresses, or not. */
async function open(args: string[], { opens = true, key = rest.keys.secret, url = rest.url } = {}) {
  const said = { code: 0, out: '', err: '', opened: [] as string[] };
  said.code = await runCli(['console', ...args], {
    env: { HOLDFAST_URL: url, HOLDFAST_API_KEY: key },
    browse: async (address) => {
      said.opened.push(address);
      return opens;
    },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return said;
}

const signsIn = async (address: string): Promise<unknown> => {
  const { hash, origin, pathname } = new URL(address);
  expect(origin + pathname).toBe(`${rest.url}/console/`);
  const body = JSON.stringify({ code: /^#code=(\w+)$/.exec(hash)?.[1] });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${rest.url}/console/session`, { method: 'POST', headers, body })).json();
};

describe('holdfast console', () => {
  it('opens an address that signs in with the key, and prints neither code nor key', async () => {
    const { opened, out, err, code } = await open([]);
    expect({ out, err, code }).toEqual({ out: `opened ${rest.url}/console/ in the browser\n`, err: '', code: 0 });
    expect(opened[0]).not.toContain(rest.keys.secret);
    expect(await signsIn(opened[0] ?? '')).toEqual({ key: rest.keys.secret, project: rest.projectId });
  });

  it('prints the address where no browser opens', async () => {
    const { out, code } = await open([], { opens: false });
    expect(code).toBe(0);
    expect(out).toMatch(/^no browser opened\. This address signs in once, within a minute:\nhttp:\S+\n$/);
  });

  it('prints the address instead with --print, and as JSON with --json', async () => {
    const printed = await open(['--print']);
    expect(printed.opened).toEqual([]);
    expect(await signsIn(printed.out.trim())).toMatchObject({ project: rest.projectId });
    const parsed = JSON.parse((await open(['--json'])).out);
    expect(parsed).toEqual({ url: expect.stringContaining('/console/#code=hf_cc_'), expiresAt: expect.any(String) });
  });

  it('says why a public key opens nothing, and when the service has no console', async () => {
    expect(await open([], { key: rest.keys.public })).toMatchObject({
      code: 1,
      err: expect.stringContaining('a full-access (secret) key is required'),
    });
    const bare = await startRest();
    const { code, err } = await open([], { url: bare.url, key: bare.keys.secret });
    await bare.close();
    expect(code).toBe(1);
    expect(err).toContain('serves no console: CONSOLE is off, or it is an older version');
  });
});
