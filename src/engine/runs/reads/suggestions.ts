import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { plannedRead } from '../../longRead.ts';
import { Conditions } from '../../paging/index.ts';
import { sharedRead } from '../../sharedRead.ts';

/** The kinds of values that can be suggested. */
export const suggestionKinds = ['app', 'workflow', 'version', 'event', 'tag_key', 'tag_value', 'session'] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

export interface SuggestionsQuery {
  projectId: string;
  kind: SuggestionKind;
  app?: string | null | undefined;
  /** The key of the tag whose values are asked for. */
  key?: string | null | undefined;
  /** How the values begin, in any case. */
  prefix?: string | null | undefined;
  limit: number;
  /** How old the answer may be. */
  maxAgeMs: number;
}

interface Suggestion {
  value: string;
}

/** The newest runs, and the newest events, whose values are known. */
export const maxSuggestedFrom = 10_000;

/**
 * Values that a project uses, the most frequent first: of registered workflows, of the newest runs,
 * and names of the newest events. Throws `invalid` if the key of a tag is missing.
 */
export async function readSuggestions(ctx: EngineContext, query: SuggestionsQuery): Promise<string[]> {
  const { kind, key, prefix, limit, maxAgeMs } = query;
  if (kind === 'tag_value' && !key) throw invalid('key must name the tag whose values are asked for');
  const given = [query.app, key, prefix];
  // PostgreSQL refuses U+0000, and no stored name contains it.
  if (given.some((text) => typeof text === 'string' && hasUnsupportedCharacter(text))) return [];
  const where = new Conditions();
  // Each part names it as `$1`.
  where.parameter(query.projectId);
  const ofApp = query.app ? `app = ${where.parameter(query.app)}` : 'true';
  const used = usedValues[kind](ofApp, kind === 'tag_value' ? where.parameter(key) : '');
  const begins = prefix ? `and starts_with(lower(value), lower(${where.parameter(prefix)}))` : '';
  const text = `
    select value from (${used}) used
    where value <> '' ${begins}
    group by value order by count(*) desc, value limit ${where.parameter(limit)}`;
  const asked = { text, values: where.values };
  // The definitions of a project are few: nobody has to wait for them.
  const isQuick = kind === 'app' || kind === 'workflow';
  const rows = isQuick ? await plannedRead<Suggestion>(ctx, asked) : await sharedRead<Suggestion>(ctx, asked, maxAgeMs);
  return rows.map(({ value }) => value);
}

const ofWorkflows = (value: string, ofApp: string): string => `
  select ${value} as value from workflow where project_id = $1::uuid and ${ofApp}`;

const ofRuns = (value: string, ofApp: string): string => `
  select ${value} as value from (
    select app, version, tags, session from run where project_id = $1::uuid
    order by created_at desc, id desc limit ${maxSuggestedFrom}
  ) newest
  where ${ofApp}`;

/**
 * Names that workflows listen for, and names that came. Without triggers, it is the workflow's. A
 * text that ends in `*` is no name.
 */
const ofEvents = (ofApp: string): string => `
  select coalesce(heard ->> 'event', case when heard is null then name end) as value
  from workflow left join lateral
    json_array_elements(case when json_typeof(triggers) = 'array' then triggers end) heard on true
  where project_id = $1::uuid and ${ofApp} and (heard is not null or triggers is null)
    and coalesce(heard ->> 'event', '') not like '%*'
  union all
  select name from (
    select app, name from event where project_id = $1::uuid order by id desc limit ${maxSuggestedFrom}
  ) newest
  where ${ofApp}`;

const usedValues: Readonly<Record<SuggestionKind, (ofApp: string, key: string) => string>> = {
  app: (ofApp) => ofWorkflows('app', ofApp),
  workflow: (ofApp) => ofWorkflows('name', ofApp),
  version: (ofApp) => ofRuns('version', ofApp),
  event: (ofApp) => ofEvents(ofApp),
  tag_key: (ofApp) => `select key as value from (${ofRuns('tags', ofApp)}) tagged, jsonb_object_keys(value) key`,
  tag_value: (ofApp, key) => ofRuns(`tags ->> ${key}`, ofApp),
  session: (ofApp) => ofRuns('session', ofApp),
};
