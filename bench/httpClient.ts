import { Agent, type IncomingMessage, request } from 'node:http';

/** A JSON client over kept connections, whose own cost is small against the measured one. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128, noDelay: true });
  readonly #base: URL;
  readonly #headers: Record<string, string>;

  constructor(baseUrl: string, apiKey: string) {
    this.#base = new URL(baseUrl);
    this.#headers = { authorization: `Bearer ${apiKey}` };
  }

  /**
   * The parsed body of an answer, cast to the caller's type. Throws unless the status is a success.
   */
  async get<Answer>(path: string): Promise<Answer> {
    return JSON.parse(await this.#send('GET', path));
  }

  getText(path: string): Promise<string> {
    return this.#send('GET', path);
  }

  async post<Answer>(path: string, body: unknown): Promise<Answer> {
    return JSON.parse(await this.#send('POST', path, JSON.stringify(body)));
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#base;
      const headers = {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      };
      const call = request({ agent: this.#agent, hostname, port, path, method, headers });
      call.on('error', reject);
      call.on('response', (response) => {
        textOf(response).then((text) => {
          const { statusCode = 0 } = response;
          if (statusCode < 300) resolve(text);
          else reject(new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 300)}`));
        }, reject);
      });
      call.end(body);
    });
  }
}

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
