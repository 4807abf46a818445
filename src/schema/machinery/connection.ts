import type { Page } from '../../engine/paging/index.ts';

export interface ConnectionShape<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

/** A page as a connection. A page that starts after a cursor has something before it. */
export function toConnection<Node>(page: Page<Node>, after: string | undefined): ConnectionShape<Node> {
  const edges = page.rows.map((node) => ({ cursor: page.cursorOf(node), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasNext,
      hasPreviousPage: after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
