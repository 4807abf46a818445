import { afterEach, beforeEach } from 'vitest';
import type { MessagePart, SendEnding, TextAnswer, TextRequest } from '../../../../src/engine/inference/index.ts';
import {
  type CallLimits,
  Connections,
  callModel,
  type ModelCall,
  type ProviderAccess,
} from '../../../../src/workers/inference/provider/index.ts';
import { FakeProvider } from '../../../support/models/fakeProvider.ts';

export const limits: CallLimits = { connectMs: 5_000, idleMs: 20_000, timeoutMs: 25_000, maxBytes: 4_194_304 };

export const request = (fields: Partial<TextRequest> = {}): TextRequest => ({
  kind: 'text',
  provider: 'anthropic',
  model: 'some-model',
  messages: userText('Say hello, please.'),
  maxTokens: 1_000,
  onUnknown: 'repeat',
  reasks: 1,
  ...fields,
});

export const userText = (text: string): TextRequest['messages'] => [
  { role: 'user', content: [{ type: 'text', text }] },
];

/** The wire formats. OpenAI speaks Responses at its own address only. */
export const wires = ['messages', 'responses', 'chat'] as const;
export type WireName = (typeof wires)[number];

type Call = Partial<Omit<ModelCall, 'limits'>> & { limits?: Partial<CallLimits> };

/** A fake for each test, and calls to it. */
export class Site {
  #fake: FakeProvider | undefined;
  #connections = new Connections();

  /** Sets the site up for the tests of a file. */
  constructor() {
    beforeEach(async () => {
      this.#fake = await FakeProvider.start();
      this.#connections = new Connections();
    });
    afterEach(async () => {
      await this.#connections.close();
      await this.#fake?.close();
    });
  }

  get fake(): FakeProvider {
    if (!this.#fake) throw new Error('the fake has not started');
    return this.#fake;
  }

  /** Access to the fake in one of the formats. */
  accessTo(wire: WireName): ProviderAccess {
    const apiKey = 'secret-key';
    if (wire === 'messages') return { provider: 'anthropic', apiKey, baseUrl: this.fake.origin };
    return wire === 'responses' ? { provider: 'openai', apiKey } : { provider: 'groq', apiKey, baseUrl: this.fake.url };
  }

  /** Calls the fake. Requests to OpenAI's own address go to it, too. */
  call(wire: WireName, given: Call = {}): Promise<SendEnding> {
    const { origin } = this.fake;
    return callModel({
      request: request(),
      access: this.accessTo(wire),
      idempotencyKey: 'key-1',
      signal: new AbortController().signal,
      connections: {
        dispatch: (options, handler) => {
          const isOwn = options.origin === 'https://api.openai.com';
          this.#connections.dispatch(isOwn ? { ...options, origin } : options, handler);
        },
      },
      ...given,
      limits: { ...limits, ...given.limits },
    });
  }
}

/** The answer of a call that was answered with text. Fails otherwise. */
export function textAnswer(ending: SendEnding): TextAnswer {
  if (ending.outcome !== 'answered' || ending.answer.kind !== 'text') {
    throw new Error(`not answered: ${JSON.stringify(ending)}`);
  }
  return ending.answer;
}

export const partTypes = (content: readonly MessagePart[]): string[] => content.map(({ type }) => type);
