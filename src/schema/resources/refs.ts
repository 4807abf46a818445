import type { ApprovalRow } from '../../engine/approvals/index.ts';
import type { RunRow } from '../../engine/runs/index.ts';
import type { EndpointRow, ShownSource } from '../../engine/webhooks/config/index.ts';
import type { DeliveryRow } from '../../engine/webhooks/deliveries/index.ts';
import { builder } from '../machinery/builder.ts';

/** The types of rows that `node(id)` has found. */
export const nodeTypes = new WeakMap<object, string>();

export const NodeInterface = builder.interfaceRef<object>('Node').implement({
  description: 'A thing with an id of its own, which `node(id)` finds.',
  resolveType: (row) => nodeTypes.get(row),
  fields: (t) => ({
    id: t.id({
      description: 'Unique over all types, and the same for as long as the thing exists.',
      resolve: () => {
        throw new Error('a type of Node without an id of its own');
      },
    }),
  }),
});

/** Apart from its fields, so that types with links to runs need not import them. */
export const RunType = builder.objectRef<RunRow>('Run');

/** Apart from its fields, so that types with links to approvals need not import them. */
export const ApprovalType = builder.objectRef<ApprovalRow>('Approval');

/** Apart from its fields, so that deliveries need not import them. */
export const WebhookEndpointType = builder.objectRef<EndpointRow>('WebhookEndpoint');

/** Apart from its fields, so that the messages of a source need not import them. */
export const WebhookSourceType = builder.objectRef<ShownSource>('WebhookSource');
/** Apart from its fields, so that types with links to deliveries need not import them. */
export const WebhookDeliveryType = builder.objectRef<DeliveryRow>('WebhookDelivery');
