import type { Texts, TypeTexts } from './texts.ts';

/** The things in pages, in the plural, by type. */
const things: Readonly<Record<string, string>> = {
  App: 'apps',
  Approval: 'approvals',
  ControlAction: 'audit entries',
  Event: 'events',
  Run: 'runs',
  Runner: 'runners',
  RunStep: 'attempts of steps',
  Session: 'sessions',
  WebhookDelivery: 'deliveries',
  WebhookEndpoint: 'endpoints',
  WebhookSource: 'sources',
  WebhookSourceDelivery: 'messages',
  Workflow: 'workflows',
};

const connection = (name: string): TypeTexts => ({
  _: `A page of ${name}.`,
  edges: `The ${name} with their cursors. \`nodes\` has them without.`,
  nodes: `The ${name} of the page. It may be shorter than \`first\`, and is then not the last.`,
  pageInfo: 'The cursor of the next page, and whether one exists.',
});

const edge = (name: string): TypeTexts => ({
  _: `One of the ${name} with its cursor.`,
  cursor: 'An opaque position in this list and order. As `after` it begins the next page.',
  node: `One of the ${name}.`,
});

/** Relay's types of pages. */
export const pageTexts: Texts = {
  PageInfo: {
    _: 'The position of a page in its list.',
    endCursor: 'The `after` of the next page. Null for an empty page.',
    hasNextPage: 'Whether more follows. A page may end early, at 16 MiB of payloads.',
    hasPreviousPage: 'Whether the page began `after` a cursor. Pages lead forward only.',
    startCursor: 'The cursor of the first element. Null for an empty page.',
  },
  ...Object.fromEntries(
    Object.entries(things).flatMap(([type, name]) => [
      [`${type}Connection`, connection(name)],
      [`${type}Edge`, edge(name)],
    ]),
  ),
};
