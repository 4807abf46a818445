import { readJson } from '../../engine/json/index.ts';
import {
  createWebhookEndpoint,
  createWebhookSource,
  type DocumentRoute,
  deleteWebhookEndpoint,
  deleteWebhookSource,
  getWebhookEndpoint,
  getWebhookSource,
  redeliverWebhook,
  replaySourceDelivery,
  updateWebhookEndpoint,
  updateWebhookSource,
} from '../../rest/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import { dataSchema } from '../catalog/outputSchema.ts';
import { routeRunner, toolOf } from '../catalog/routeTool.ts';
import type { DataAnswer, Tool, ToolCall } from '../declare/tool.ts';
import { confirmTool } from '../writes/confirmTool.ts';
import { onceById, onceConfirmed, type Repeat } from '../writes/once.ts';
import { quoted } from '../writes/quoted.ts';
import { dedupeId, without, writeTool } from '../writes/writeTool.ts';

const toolset = 'webhooks';
const rotation = ['secret', 'rotateSecret', 'force', 'revokePrevious'] as const;

/** 5.7: the token of a source opens its address, so it counts as a secret. */
const sourceSecrets = ['token', 'receiveUrl'] as const;

interface Kind {
  /** As in the names of tools, and in the data. */
  word: 'endpoint' | 'source';
  get: DocumentRoute;
  remove: DocumentRoute;
  hidden: readonly string[];
  /** Our text about what a deletion ends. */
  ends: string;
}

const endpoint: Kind = {
  word: 'endpoint',
  get: getWebhookEndpoint,
  remove: deleteWebhookEndpoint,
  hidden: [],
  ends: 'Its unfinished deliveries are not sent any more.',
};

const source: Kind = {
  word: 'source',
  get: getWebhookSource,
  remove: deleteWebhookSource,
  hidden: sourceSecrets,
  ends: 'Its address is unknown from then on.',
};

/** What the first call created, as it is now. */
function repeatedCreation({ word, get, hidden }: Kind): Repeat {
  const read = routeRunner(get);
  return async (call, { id }) => {
    const { body } = await read({ ...call, arguments: readJson(JSON.stringify({ id })) });
    const about = `A repeat: nothing was changed. The first call created this ${word}.`;
    return { about, data: { [word]: without(Object(body), hidden) } };
  };
}

function deleteTool({ word, get, remove, hidden, ends }: Kind): Tool {
  const read = routeRunner(get);
  const write = routeRunner(remove);
  return confirmTool({
    name: `delete_webhook_${word}`,
    toolset,
    route: remove,
    title: `Delete a webhook ${word}`,
    description: `Deletes a ${word} of webhooks. ${ends} The first call answers a preview and \`confirm\`, and changes nothing. The second call with the same arguments and \`confirm\` deletes.`,
    annotations: { destructiveHint: true, idempotentHint: true },
    result: { deleted: { type: 'object', properties: { id: { type: 'string' } } } },
    box: `Delete the ${word}`,
    async look(call) {
      const found = without(Object((await read(call)).body), hidden);
      const { id, name, url, eventName } = found;
      const target = url === undefined ? `event ${quoted(eventName)}` : `URL ${quoted(url, 300)}`;
      const named = name === undefined ? '' : ` ${quoted(name)}`;
      return {
        preview: { matched: 1, capped: false, sample: [found] },
        question: `Delete the webhook ${word}${named}?\n${target}, id ${id}.\n${ends}`,
      };
    },
    act: (call, confirmation) =>
      onceConfirmed(call, confirmation, async (once) => {
        await write(once);
        return { about: `The ${word} is deleted.`, data: { deleted: { id: memberOf(call.arguments, 'id') } } };
      }),
    did: () => `the ${word} is deleted.`,
  });
}

const redeliver = routeRunner(redeliverWebhook);

const redelivered = (call: ToolCall, about: string): DataAnswer => ({
  about,
  data: { id: memberOf(call.arguments, 'id') },
});

const redeliverTool: Tool = {
  ...toolOf({
    name: 'redeliver_webhook',
    toolset,
    route: redeliverWebhook,
    title: 'Redeliver a webhook',
    description: 'Attempts an outbound delivery again, at once and with a new budget. Pass a dedupeId.',
    annotations: { openWorldHint: true },
    own: { dedupeId },
  }),
  outputSchema: dataSchema({ id: { type: 'string' } }, ['id']),
  run: (call) =>
    onceById(
      call,
      'redeliver_webhook',
      async (once) => {
        await redeliver(once);
        return redelivered(call, 'The delivery is due. get_webhook_delivery has its attempts.');
      },
      async () => redelivered(call, 'A repeat: nothing was changed. The first call made the delivery due.'),
    ),
};

/** 4.8 */
export const webhookWrites: readonly Tool[] = [
  writeTool({
    name: 'create_webhook_endpoint',
    toolset,
    route: createWebhookEndpoint,
    without: ['secret'],
    member: 'endpoint',
    title: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that is told of ended runs and steps. Its signing secret is neither taken nor shown: a person gets one by PATCH /webhook-endpoints/{id} with {"rotateSecret": true}. Pass a dedupeId.',
    annotations: { openWorldHint: true },
    about: () =>
      'The endpoint is created. A person gets a signing secret by PATCH /webhook-endpoints/{id} with {"rotateSecret": true}.',
    repeat: repeatedCreation(endpoint),
  }),
  writeTool({
    name: 'update_webhook_endpoint',
    toolset,
    route: updateWebhookEndpoint,
    without: rotation,
    member: 'endpoint',
    title: 'Change a webhook endpoint',
    description:
      'Changes the given fields of an endpoint; null clears `name` and `app`. Secrets are rotated by REST only.',
    annotations: { idempotentHint: true, openWorldHint: true },
    about: () => 'The endpoint as it is now.',
  }),
  deleteTool(endpoint),
  writeTool({
    name: 'create_webhook_source',
    toolset,
    route: createWebhookSource,
    without: ['secret', 'token'],
    hidden: sourceSecrets,
    member: 'source',
    title: 'Create a webhook source',
    description:
      'Creates an address that turns messages of a sender into events. Its address and its secret are neither taken nor shown: a person reads the address by GET /webhook-sources/{id}, and gets a secret by PATCH with {"rotateSecret": true}. Pass a dedupeId.',
    annotations: {},
    about: () =>
      'The source is created. A person reads its address by GET /webhook-sources/{id}, and gets a secret by PATCH with {"rotateSecret": true}.',
    repeat: repeatedCreation(source),
  }),
  writeTool({
    name: 'update_webhook_source',
    toolset,
    route: updateWebhookSource,
    without: rotation,
    hidden: sourceSecrets,
    member: 'source',
    title: 'Change a webhook source',
    description: 'Changes the given fields of a source; null clears optional ones. Secrets are rotated by REST only.',
    annotations: { idempotentHint: true },
    about: () => 'The source as it is now.',
  }),
  deleteTool(source),
  redeliverTool,
  writeTool({
    name: 'replay_source_delivery',
    toolset,
    route: replaySourceDelivery,
    title: 'Replay an inbound message',
    description:
      'Replays a verified message of a webhook source by the present mapping: sends its event again. Pass a dedupeId.',
    annotations: { openWorldHint: true },
    about: () => 'The message was replayed.',
    repeat: async (_call, done) => ({
      about: 'A repeat: nothing was changed. The data is what the first call did.',
      data: { ...done },
    }),
  }),
];
