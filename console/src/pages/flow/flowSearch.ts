import { type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

/** What the parts of the page keep in the URL, on other pages too. */
export const flowPartFields = {
  /** The scope whose runs are shown: app and workflow as they are, the key if there is one. */
  scopeApp: text,
  scopeOf: text,
  scopeKey: text,
  /** How far the count of withheld starts reaches back. */
  shed: oneOf(['1h', '24h', '7d']),
};

const flowPartSearch = object(flowPartFields);
const flowSearch = object({ app: text, workflow: text, ...flowPartFields });

export type FlowPartSearch = Infer<typeof flowPartSearch>;
export type FlowSearch = Infer<typeof flowSearch>;

export const readFlowSearch = readBy(flowSearch);

export interface Scope {
  app: string;
  workflow: string;
  key: string | null;
}

/** The scope that the URL opens. */
export const openScope = ({ scopeApp, scopeOf, scopeKey }: FlowPartSearch): Scope | undefined =>
  scopeApp && scopeOf ? { app: scopeApp, workflow: scopeOf, key: scopeKey ?? null } : undefined;

/** The URL with another scope open, or with none. */
export const withScope = <S extends FlowPartSearch>(search: S, scope: Scope | undefined): S => ({
  ...search,
  scopeApp: scope?.app,
  scopeOf: scope?.workflow,
  scopeKey: scope?.key ?? undefined,
});
