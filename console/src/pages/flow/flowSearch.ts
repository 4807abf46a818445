import { type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const flowSearch = object({
  app: text,
  workflow: text,
  /** The scope whose runs are shown: app and workflow as they are, the key if there is one. */
  scopeApp: text,
  scopeOf: text,
  scopeKey: text,
  /** How far the count of withheld starts reaches back. */
  shed: oneOf(['1h', '24h', '7d']),
});

export type FlowSearch = Infer<typeof flowSearch>;

export const readFlowSearch = readBy(flowSearch);

export interface Scope {
  app: string;
  workflow: string;
  key: string | null;
}

/** The scope that the URL opens. */
export const openScope = ({ scopeApp, scopeOf, scopeKey }: FlowSearch): Scope | undefined =>
  scopeApp && scopeOf ? { app: scopeApp, workflow: scopeOf, key: scopeKey ?? null } : undefined;

/** The URL with another scope open, or with none. */
export const withScope = (search: FlowSearch, scope: Scope | undefined): FlowSearch => ({
  ...search,
  scopeApp: scope?.app,
  scopeOf: scope?.workflow,
  scopeKey: scope?.key ?? undefined,
});
