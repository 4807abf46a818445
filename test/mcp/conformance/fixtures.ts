import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  type CallToolResult,
  completable,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpRequestContext,
  McpServer,
  type McpServerFactory,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The lists of a server that keeps nothing never change. */
const still = { listChanged: false };

const states = createRequestStateCodec({ key: randomBytes(32) });

/** The server that the protocol's suite expects, as far as requests without a session allow. */
export const fixtures: McpServerFactory = ({ era }: McpRequestContext) => {
  const server = new McpServer(
    { name: 'fixtures', version: '1.0.0' },
    {
      capabilities: { tools: still, resources: still, prompts: still, completions: {} },
      requestState: { verify: (state, context) => states.verify(state, context) },
      inputRequired: { legacyShim: false },
    },
  );
  addContents(server);
  addCalls(server);
  if (era === 'modern') addQuestions(server);
  addResources(server);
  addPrompts(server);
  return server;
};

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = (words: string) => ({ type: 'text', text: words }) as const;
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const resource = (uri: string, mimeType: string, words: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: words } }) as const;

function addContents(server: McpServer): void {
  const contents = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' } as const],
    test_embedded_resource: [
      resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
    test_multiple_content_types: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
    test_logging_tool: [text('nothing is logged')],
  };
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: `Answers ${name}` }, () => ({ content }));
}

function addCalls(server: McpServer): void {
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells progress' },
    async ({ mcpReq }: ServerContext) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100])
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      return { content: [text('done')] };
    },
  );
}

const form = (message: string, name: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
  });
const confirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});
const sampling = (words: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 100 });

type Answer = CallToolResult | InputRequiredResult;

/** Tools that need an answer of the client. */
function addQuestions(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => Answer | Promise<Answer>): void => {
    server.registerTool(name, { description: `Asks for ${name}` }, run);
  };
  const done = (words: string) => ({ content: [text(words)] });
  add('test_missing_capability', () => inputRequired({ inputRequests: { answer: sampling('?') } }));
  add('test_streaming_elicitation', () => inputRequired({ inputRequests: { name: form('Your name?', 'name') } }));
  add('test_input_required_result_elicitation', ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }));
    if (given) return done(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  });
  add('test_input_required_result_sampling', ({ mcpReq }: ServerContext) => {
    if (inputResponse(mcpReq.inputResponses, 'capital_question').kind === 'sampling') return done('Paris');
    return inputRequired({ inputRequests: { capital_question: sampling('What is the capital of France?') } });
  });
  add('test_input_required_result_list_roots', ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (given.kind === 'roots') return done(given.roots.map(({ uri }) => uri).join(' '));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirming = async ({ mcpReq }: ServerContext) => {
    if (mcpReq.requestState() !== undefined && mcpReq.inputResponses) return done('state-ok');
    return inputRequired({ inputRequests: { confirm: confirmation }, requestState: await states.mint({}) });
  };
  add('test_input_required_result_request_state', confirming);
  add('test_input_required_result_tampered_state', confirming);
  add('test_input_required_result_multiple_inputs', async ({ mcpReq }: ServerContext) => {
    if (mcpReq.requestState() !== undefined && mcpReq.inputResponses) return done('all there');
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: sampling('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({}),
    });
  });
  add('test_input_required_result_multi_round', async ({ mcpReq }) => {
    const { round = 0 } = mcpReq.requestState<{ round?: number }>() ?? {};
    if (round === 2) return done('both steps are done');
    const step = round === 0 ? form('Step 1: What is your name?', 'name') : form('Step 2: A color?', 'color');
    return inputRequired({
      inputRequests: { [`step${round + 1}`]: step },
      requestState: await states.mint({ round: round + 1 }),
    });
  });
  add('test_input_required_result_capabilities', () =>
    inputRequired({ inputRequests: { question: sampling('What is the capital of France?') } }),
  );
}

function addResources(server: McpServer): void {
  const about = { description: 'A fixture', mimeType: 'text/plain' };
  server.registerResource('static text', 'test://static-text', about, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static binary', 'test://static-binary', about, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, about, ({ href }, { id }) => {
    if (id === undefined) throw new ResourceNotFoundError(href);
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] };
  });
}

function addPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user', content }) as const;
  server.registerPrompt('test_simple_prompt', { description: 'A fixture' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  const two = z.object({
    arg1: completable(z.string(), (begin) => ['paris', 'park', 'party'].filter((each) => each.startsWith(begin))),
    arg2: z.string(),
  });
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A fixture', argsSchema: two },
    ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A fixture', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A fixture' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'A fixture' }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context', z.object({ context: z.string() }));
    if (given) return { messages: [user(text(given.context))] };
    const question = form('What context should the prompt use?', 'context');
    return inputRequired({ inputRequests: { user_context: question } });
  });
}
