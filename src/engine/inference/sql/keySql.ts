/*
 * SQL: the ids of a provider's key and of its lanes. `owner` is the project whose key it is, or
 * `settingsOwner`. Names hold no control characters, so no two different triples make one text.
 */

/** The owner of the keys that are in the settings of the processes. */
export const settingsOwner = 'settings';

const uuidSql = (text: string): string => `substr(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 1, 32)::uuid`;

export const keyIdSql = (owner: string, provider: string): string => uuidSql(`${owner} || '/' || ${provider}`);

export const laneIdSql = (owner: string, provider: string, model: string): string =>
  uuidSql(`${owner} || '/' || ${provider} || E'\\n' || ${model}`);

/** SQL: who owns the key for calls of a project: the project if it has one, else the settings. */
export const ownerSql = (projectId: string, provider: string): string => `case when exists (
        select from sealed_secret secret
        where secret.project_id = ${projectId} and secret.kind = 'provider' and secret.name = ${provider})
      then ${projectId}::text else '${settingsOwner}' end`;

/**
 * SQL: sets the key and the lane of a call (`inference_call`) anew. A key may have been set or
 * removed while the call was leased.
 */
export const movedToKeySql = (call: string): string => {
  const owner = `(${ownerSql(`${call}.project_id`, `${call}.provider`)})`;
  return `key_id = ${keyIdSql(owner, `${call}.provider`)}, lane_id = ${laneIdSql(owner, `${call}.provider`, `${call}.model`)}`;
};
