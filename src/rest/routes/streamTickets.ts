import { maxPathLength, streamPathPattern } from '../../engine/tickets/index.ts';
import { narrowed, optionalText } from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';

/** For pages: an `EventSource` sends no header, so it cannot send a key. */
export const createStreamTicket = documentRoute({
  method: 'POST',
  path: '/stream-tickets',
  scope: 'write',
  group: 'service',
  summary: 'Issue a ticket with which a web page opens one stream, without a key',
  body: {
    required: false,
    fields: {
      path: narrowed(
        optionalText(
          'The only path that the ticket opens, without a query: that of a stream, such as `/runs/stream`, or `/graphql`. Any stream when absent.',
          maxPathLength,
        ),
        { pattern: streamPathPattern },
      ),
    },
  },
  document: /* GraphQL */ `
    mutation CreateStreamTicket($input: CreateStreamTicketInput!) {
      createStreamTicket(input: $input) { ...StreamTicket }
    }
    fragment StreamTicket on CreateStreamTicketPayload { ticket expiresAt }`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 201, at: ['createStreamTicket'] },
});
