export interface McpCaller {
  /** A token; null for none. Default, at a server of the tests: the project's secret key. */
  key?: string | null;
  /** The text after `/mcp?`. */
  search?: string;
  headers?: Record<string, string>;
  /** What the client can do. Default: nothing. */
  capabilities?: object;
  /** Further members of the request's parameters. */
  params?: object;
  /** Ends the request. */
  signal?: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into it, and fail where it is another thing.
export type Anything = any;

const prefix = 'io.modelcontextprotocol';

/** Sends a message of 2026-07-28. Answers the JSON-RPC result or error, with the HTTP status. */
export async function askMcp(
  url: string,
  { key = null, search = '', headers, capabilities = {}, params: more, signal }: McpCaller,
  { method, params = {} }: { method: string; params?: object | undefined },
): Promise<{ status: number; headers: Headers } & Anything> {
  const name = Reflect.get(params, 'name') ?? Reflect.get(params, 'uri');
  const _meta = {
    [`${prefix}/protocolVersion`]: '2026-07-28',
    [`${prefix}/clientInfo`]: { name: 'a test', version: '1' },
    [`${prefix}/clientCapabilities`]: capabilities,
  };
  const answer = await fetch(search === '' ? url : `${url}?${search}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params, ...more } }),
    ...(signal && { signal }),
  });
  return { status: answer.status, headers: answer.headers, ...lastMessage(await answer.text()) };
}

/** The last message of an answer, be it JSON or a stream. */
export function lastMessage(text: string): object {
  const last = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .at(-1);
  return JSON.parse(last === undefined ? text || '{}' : last.slice('data:'.length));
}
