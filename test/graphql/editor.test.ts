import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { editorFiles } from '../../src/graphql/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let server: GraphqlServer;
let key: IssuedKey;

beforeAll(async () => {
  key = await issueKey(test.engine, await createTestProject(test.engine), 'public');
  server = await startGraphql(test.engine);
});
afterAll(() => server.stop());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const open = (path = '', headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(server.url + path, { method, headers: { accept: browser, ...headers } });

describe('a browser that opens /graphql', () => {
  it('is sent the editor, with or without a query in the address', async () => {
    for (const path of ['', '?query=%7Bruns%7Bnodes%7Bid%7D%7D%7D']) {
      const response = await open(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain('API key');
    }
    expect(await (await open('', {}, 'HEAD')).text()).toBe('');
  });

  it('loads everything from the service, at addresses that also hold below the path of a proxy', async () => {
    const response = await open();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    const page = await response.text();
    const named = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(named).toEqual(['data:,', 'graphql/graphiql.css', 'graphql/editor.js', 'graphql/graphiql.js']);
    expect(page).not.toMatch(/<script>|https?:/);
  });

  it.each(Object.keys(editorFiles))('is sent %s, and told when its copy is current', async (path) => {
    const at = path.replace('/graphql', '');
    const response = await open(at);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    expect((await response.text()).length).toBeGreaterThan(500);
    const again = await open(at, { 'if-none-match': response.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const refused = await open(at, {}, 'POST');
    expect({ status: refused.status, allow: refused.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
  });
});

describe('the schema', () => {
  it.each([
    ['GET', '*/*'],
    ['GET', 'application/json'],
    ['GET', 'text/html, application/json'],
    ['POST', browser],
  ])('is not read without a key by %s with Accept: %s', async (method, accept) => {
    const query = '{ __schema { queryType { name } } }';
    const init = method === 'POST' ? { body: JSON.stringify({ query }) } : {};
    const response = await fetch(`${server.url}?${new URLSearchParams({ query })}`, {
      method,
      headers: { accept, 'content-type': 'application/json' },
      ...init,
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});

/** What a browser would offer to the script of the page. */
async function runScript() {
  const parts = new Map<string, Record<string, unknown>>();
  const part = (id: string): Record<string, unknown> => {
    const known = parts.get(id) ?? { value: '', remove: vi.fn(), addEventListener: vi.fn() };
    parts.set(id, known);
    return known;
  };
  const renderYogaGraphiQL = vi.fn();
  const context = createContext({
    document: { getElementById: part, currentScript: { src: `${server.url}/editor.js` } },
    addEventListener: (_name: string, told: () => void) => told(),
    location: { pathname: server.url },
    self: {},
    YogaGraphiQL: { renderYogaGraphiQL },
    fetch,
    URL,
  });
  runInContext(await (await open('/editor.js')).text(), context);
  const [[, submit] = []] = vi.mocked(part('ask')['addEventListener'] as (name: string, told: unknown) => void).mock
    .calls;
  const enter = (token: string, project: string): void => {
    part('key')['value'] = ` ${token} `;
    part('project')['value'] = project;
    (submit as (event: object) => void)({ preventDefault: vi.fn() });
  };
  return { part, enter, renderYogaGraphiQL };
}

describe('the page', () => {
  it('says why a key is refused, and goes on asking', async () => {
    const { part, enter, renderYogaGraphiQL } = await runScript();
    enter('hf_sk_wrong', '');
    await vi.waitFor(() => expect(part('refusal')['textContent']).toBe('missing or unknown API key'));
    expect(renderYogaGraphiQL).not.toHaveBeenCalled();
  });

  it('sends a key along with operations and with the first message of the socket, and stores it nowhere', async () => {
    const { part, enter, renderYogaGraphiQL } = await runScript();
    enter(key.token, '');
    const credentials = { authorization: `Bearer ${key.token}` };
    await vi.waitFor(() =>
      expect(renderYogaGraphiQL).toHaveBeenCalledWith(
        part('editor'),
        expect.objectContaining({
          shouldPersistHeaders: false,
          additionalHeaders: credentials,
          subscriptionsProtocol: 'WS',
          connectionParams: credentials,
        }),
      ),
    );
  });
});
