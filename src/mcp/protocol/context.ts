import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { maxBytesRange } from '../catalog/arguments.ts';
import type { Settings } from '../declare/settings.ts';
import type { McpCall } from '../declare/tool.ts';
import { clientOf } from './client.ts';
import { complete } from './complete.ts';
import type { Exchange } from './exchange.ts';
import { getPrompt, listPrompts, offeredPrompt } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';

/** Lets a server answer about resources, prompts and completions. */
export function serveContext(server: Server, { call, selection }: Exchange, { answerMaxBytes }: Settings): void {
  const maxBytes = Math.min(answerMaxBytes, maxBytesRange.max);
  const by = (context: ServerContext): McpCall => ({ ...call, client: clientOf(context) });

  server.setRequestHandler('resources/list', async () => ({ resources: await listResources(selection) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates(selection) }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    readResource(by(context), selection, { uri, maxBytes }),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(selection) }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, context) =>
    getPrompt(by(context), offeredPrompt(selection, name), { given, maxBytes }),
  );
  server.setRequestHandler('completion/complete', ({ params }, context) => complete(by(context), selection, params));
}
