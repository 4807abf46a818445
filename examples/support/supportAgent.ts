import { eventType, type Holdfast } from '@holdfast/sdk';
import { z } from 'zod';

export const customerWrote = eventType<{ text: string }>('customer.wrote');

const orders = new Map([['o-17', { item: 'a blue kettle', cents: 4900, isDelivered: true }]]);

/** An agent that answers customers. A person approves each refund. */
export function defineSupport(hf: Holdfast) {
  const refundOrder = hf.workflow({ id: 'refund order' }, async ({ event, step }) => {
    const { orderId, cents } = refund.parse(event.data);
    return step.run('pay back', () => ({ orderId, cents, receipt: `receipt of ${orderId}` }));
  });

  return hf.workflow(
    { id: 'answer customer', triggers: [customerWrote], cap: { maxTokens: 50_000 } },
    async ({ event, step }) => {
      const { text, turns, usage } = await step.ai.agent('support', {
        model: 'claude-sonnet-4-5',
        system: 'You help the customers of a shop. Look up the order before you refund it.',
        prompt: event.data.text,
        tools: {
          find_order: {
            description: 'Looks up an order.',
            inputSchema: z.object({ orderId: z.string() }),
            execute: ({ orderId }) => orders.get(orderId) ?? `there is no order ${orderId}`,
          },
          refund: {
            description: 'Pays money back to the customer.',
            inputSchema: refund,
            approval: {
              risk: 'high',
              summary: ({ orderId, cents }) => `refund ${euros(cents)} of order ${orderId}`,
              timeout: '4h',
              onTimeout: 'reject',
            },
            workflow: refundOrder,
          },
        },
      });
      return { text, turns, tokens: (usage.tokensIn ?? 0) + (usage.tokensOut ?? 0) };
    },
  );
}

const refund = z.object({ orderId: z.string(), cents: z.int().positive() });

const euros = (cents: number): string => `${(cents / 100).toFixed(2)} €`;
