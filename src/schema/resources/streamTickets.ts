import { forbidden } from '../../engine/errors.ts';
import { type IssuedTicket, issueTicket } from '../../engine/tickets/index.ts';
import { builder } from '../machinery/builder.ts';

const CreateStreamTicketInput = builder.inputType('CreateStreamTicketInput', {
  description: 'The stream to open.',
  fields: (t) => ({
    path: t.string({
      description:
        'The only path that the ticket opens, without a query: that of a stream, such as `/runs/<id>/stream`, or `/graphql`. Absent: any stream.',
    }),
  }),
});

const CreateStreamTicketPayload = builder.objectRef<IssuedTicket>('CreateStreamTicketPayload').implement({
  description: 'A ticket for one stream.',
  fields: (t) => ({
    ticket: t.exposeString('ticket', { description: 'The value of `?ticket=`. It is shown only once.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When an unused ticket stops being valid: a minute after its creation.',
    }),
  }),
});

builder.mutationField('createStreamTicket', (t) =>
  t.field({
    type: CreateStreamTicketPayload,
    description:
      'Issues a ticket with which a web page opens one stream of Server-Sent Events, without a key. The stream ends with the key of the call.',
    args: { input: t.arg({ type: CreateStreamTicketInput, required: true }) },
    resolve: (_root, { input: { path } }, { engine, principal, projectId }) => {
      // A stream must end with its key, and the operator's never ends.
      if (principal.kind === 'operator') throw forbidden('stream tickets need a secret key of the project');
      return issueTicket(engine, { projectId, keyId: principal.keyId, path: path ?? undefined });
    },
  }),
);
