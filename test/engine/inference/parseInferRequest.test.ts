import { describe, expect, it } from 'vitest';
import { parseInferRequest, RequestError } from '../../../src/engine/inference/index.ts';

const parse = (data: unknown) => parseInferRequest(data);

const problemOf = (data: unknown): string => {
  try {
    parse(data);
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
  return '';
};

const minimal = { model: 'm', prompt: 'hello' };

describe('the request of an Infer', () => {
  it('is a text for anthropic with one re-ask, unless it says otherwise', () => {
    expect(parse(minimal)).toEqual({
      request: {
        kind: 'text',
        provider: 'anthropic',
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
        reasks: 1,
        onUnknown: 'repeat',
      },
      ignored: [],
    });
  });

  it('may be an embedding, for openai unless it says otherwise', () => {
    const request = { kind: 'embed', provider: 'openai', model: 'm', values: ['a', 'b'], onUnknown: 'repeat' };
    expect(parse({ kind: 'embed', model: 'm', values: ['a', 'b'] }).request).toEqual(request);
  });

  it('keeps parts, their metadata and tools as they are', () => {
    const messages = [
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', metadata: { anthropic: { signature: 's' } } },
          { type: 'tool_call', id: '1', name: 'find', input: { a: [1, null] } },
        ],
      },
      { role: 'tool', content: [{ type: 'tool_result', id: '1', name: 'find', output: 'none', isError: true }] },
      { role: 'user', content: [{ type: 'image', url: 'https://example.com/a.png' }] },
      { role: 'user', content: [{ type: 'file', data: 'QQ==', mediaType: 'application/pdf' }] },
    ];
    const tools = [{ name: 'find', inputSchema: { type: 'object' } }];
    const { request, ignored } = parse({ model: 'm', messages, tools, toolChoice: { tool: 'find' } });
    const [first, ...others] = messages;
    const read = [{ ...first, content: [{ type: 'text', text: 'look' }] }, ...others];
    expect(request).toMatchObject({ messages: read, tools, toolChoice: { tool: 'find' } });
    expect(ignored).toEqual([]);
  });

  it('names the fields that it ignores, also in tools and parts', () => {
    const content = [{ type: 'text', text: 'a', bold: true }];
    const data = { ...minimal, prompt: undefined, messages: [{ role: 'user', content, at: 1 }], topK: 4 };
    const tools = [{ name: 'find', inputSchema: {}, strict: true }];
    expect(parse({ ...data, tools }).ignored).toEqual([
      'messages[0].at',
      'topK',
      'tools[0].strict',
      'messages[0].content[0].bold',
    ]);
  });

  it.each([
    [undefined, 'data: is required'],
    [[], 'data: must be an object'],
    [{ prompt: 'a' }, 'model: is required'],
    [{ model: 'm' }, 'prompt or messages: is required'],
    [{ model: 'm', messages: [] }, 'prompt or messages: is required'],
    [{ ...minimal, messages: [{ role: 'user', content: 'a' }] }, 'prompt and messages: give one of them'],
    [{ ...minimal, model: '' }, 'model: must not be empty'],
    [{ ...minimal, model: 'a\nb' }, 'model: has an unsupported character'],
    [{ ...minimal, temperature: 'hot' }, 'temperature: must be a number from 0 to 10'],
    [{ ...minimal, maxTokens: 0 }, 'maxTokens: must be a whole number from 1 to 100000000'],
    [{ ...minimal, reasks: 4 }, 'reasks: must be a whole number from 0 to 3'],
    [{ ...minimal, onUnknown: 'ask' }, 'onUnknown: must be one of repeat, fail'],
    [{ ...minimal, schema: 'text' }, 'schema: must be a JSON Schema'],
    [{ ...minimal, schema: { $ref: 'https://a.example/b' } }, 'schema: refers to another document at #'],
    [{ ...minimal, schema: { title: 'x'.repeat(65_536) } }, 'schema: is larger than 65536 bytes'],
    [{ ...minimal, tools: [{ name: 'a' }] }, 'tools[0].inputSchema: is required'],
    [{ ...minimal, price: { input: 1 } }, 'price.output: is required'],
    [
      { model: 'm', messages: [{ role: 'robot', content: 'a' }] },
      'messages[0].role: must be one of system, user, assistant, tool',
    ],
    [
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'sound' }] }] },
      'messages[0].content[0].type: must be one of text, image, file, tool_call, tool_result, reasoning',
    ],
    [
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      'messages[0].content[0]: must have data or a url, and not both',
    ],
    [{ kind: 'embed', model: 'm' }, 'values: is required'],
    [{ kind: 'embed', model: 'm', values: Array(101).fill('a') }, 'values: may have at most 100 entries'],
    [{ kind: 'embed', provider: 'anthropic', model: 'm', values: ['a'] }, 'provider: anthropic has no embeddings'],
  ])('that is malformed, %j, is refused by the name of the field', (data, problem) => {
    expect(problemOf(data)).toBe(problem);
  });
});
