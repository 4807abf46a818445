import { expect } from 'vitest';
import { type Anything, askMcp, type McpCaller } from './askMcp.ts';

/** What an agent does at a service: its calls, and what it reads, are counted. */
export class Agent {
  calls = 0;
  bytes = 0;
  readonly #url: string;
  readonly #caller: McpCaller;

  constructor(baseUrl: string, key: string, caller: McpCaller = {}) {
    this.#url = `${baseUrl}/mcp`;
    this.#caller = { key, search: 'toolsets=all', ...caller };
  }

  /** Calls a tool, and answers its data. Fails if the tool refuses. */
  async call(name: string, given: object): Promise<Anything> {
    const { status, result, error } = await this.#ask(name, given);
    expect([name, status, error, result?.isError && result.content[0].text]).toEqual([name, 200, undefined, undefined]);
    return result.structuredContent;
  }

  async #ask(name: string, given: object): ReturnType<typeof askMcp> {
    const answer = await askMcp(this.#url, this.#caller, {
      method: 'tools/call',
      params: { name, arguments: given },
    });
    this.calls += 1;
    for (const { text } of answer.result?.content ?? []) this.bytes += Buffer.byteLength(text);
    return answer;
  }
}
