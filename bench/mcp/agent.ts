import { Agent, request } from 'node:http';

const prefix = 'io.modelcontextprotocol';
const _meta = {
  [`${prefix}/protocolVersion`]: '2026-07-28',
  [`${prefix}/clientInfo`]: { name: 'bench', version: '1' },
  [`${prefix}/clientCapabilities`]: {},
};

/** A client of `/mcp` over kept connections, which does no more than it must. */
export class McpAgent {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1_000, noDelay: true });
  readonly #base: URL;
  readonly #key: string;

  constructor(baseUrl: string, key: string) {
    this.#base = new URL(baseUrl);
    this.#key = key;
  }

  /** Calls a tool. Returns the bytes of the answer. Throws unless it succeeds. */
  call(name: string, given: object): Promise<number> {
    return this.request('tools/call', { name, arguments: given });
  }

  /** Sends a message. Returns the bytes of the answer. Throws unless it succeeds. */
  request(method: string, params: { name?: string; arguments?: object } = {}): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } });
    const { hostname, port } = this.#base;
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    };
    return new Promise((resolve, reject) => {
      const call = request({ agent: this.#agent, hostname, port, path: '/mcp', method: 'POST', headers });
      call.on('error', reject);
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks);
          if (response.statusCode === 200 && !text.includes('"isError":true')) resolve(text.length);
          else
            reject(
              new Error(`${method} ${params.name ?? ''}: ${response.statusCode} ${text.toString().slice(0, 300)}`),
            );
        });
      });
      call.end(body);
    });
  }

  /** Ends all connections, and so the calls under way. */
  close(): void {
    this.#agent.destroy();
  }
}
