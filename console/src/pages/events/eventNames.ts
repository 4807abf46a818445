interface NamesLike {
  events: { nodes: readonly { name: string }[] };
  workflowPage: {
    nodes: readonly { app: string; name: string; triggers: readonly { event: string | null }[] | null }[];
  };
}

/** Names to suggest for an event: those for which workflows listen, then recent ones. */
export function eventNames({ events, workflowPage }: NamesLike): string[] {
  const heard = workflowPage.nodes.flatMap(({ name, triggers }) =>
    triggers === null ? [name] : triggers.flatMap(({ event }) => event ?? []),
  );
  return [...new Set([...heard.sort(), ...events.nodes.map(({ name }) => name)])];
}

/** Apps to suggest for the addressee of an event. */
export const appNames = ({ workflowPage }: NamesLike): string[] =>
  [...new Set(workflowPage.nodes.map(({ app }) => app))].sort();
