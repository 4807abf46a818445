import type { EngineContext } from '../context.ts';
import {
  boundTo,
  isSealed,
  knownPrefixes,
  openDespitePrefix,
  openSecret,
  type SealContext,
  type SecretKind,
  sealPrefix,
  sealSecret,
  secretKinds,
} from './seal.ts';
import type { SecretRef } from './sql/findSealedSecret.ts';
import { type ForeignSeal, listForeignSeals } from './sql/listForeignSeals.ts';
import { resealSecrets } from './sql/resealSecrets.ts';

/** Secrets that are read, opened and sealed in one step. */
const pageSize = 500;
const beforeAll: SecretRef = { projectId: '00000000-0000-0000-0000-000000000000', kind: '', name: '' };

/** Kinds whose loss would be noticed: a previous secret only serves for a day. */
const lastingKinds: readonly SecretKind[] = secretKinds.filter((kind) => !kind.endsWith('_previous'));

/** Secrets that the known operator keys do not open, as far as their first bytes tell. */
export interface UnreadableSecrets {
  /** Sealed under another operator key. */
  foreign: SecretRef[];
  /** Damaged, or sealed by a newer version. */
  damaged: SecretRef[];
  /** Only the first bytes are damaged, and a known key opens the rest. */
  repairable: SecretRef[];
}

/** Finds the first 500 such secrets; undefined if there is none. */
export async function findUnreadable(ctx: EngineContext): Promise<UnreadableSecrets | undefined> {
  const rows = await readPage(ctx, beforeAll, { prefixes: knownPrefixes(ctx), kinds: lastingKinds, limit: pageSize });
  if (rows.length === 0) return undefined;
  const found: UnreadableSecrets = { foreign: [], damaged: [], repairable: [] };
  for (const { sealed, ...ref } of rows) {
    const isRepairable = openDespitePrefix(ctx, sealed, boundTo(ref)) !== undefined;
    found[isRepairable ? 'repairable' : isSealed(sealed) ? 'foreign' : 'damaged'].push(ref);
  }
  return found;
}

export interface Resealed {
  /** Secrets that were sealed again. */
  resealed: number;
  /** Secrets that none of the keys opens. */
  unreadable: number;
  /** The first of them. */
  examples: SecretRef[];
}

const maxExamples = 10;

/**
 * Seals under the present operator key all secrets that a former key opens: one of the settings,
 * or one of `further`. Secrets whose first bytes are damaged are repaired. Secrets that no key
 * opens stay as they are, so that their key can be restored. Runs beside a service: a secret that
 * is replaced meanwhile stays replaced. A page is one statement, so a crash in between leaves each
 * secret readable under one of the keys.
 */
export async function resealForeign(ctx: EngineContext, further: readonly string[] = []): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unreadable: 0, examples: [] };
  const { operatorKey, formerOperatorKeys } = ctx.settings;
  const opener: SealContext = { settings: { operatorKey, formerOperatorKeys: [...formerOperatorKeys, ...further] } };
  let page: ForeignSeal[];
  let after = beforeAll;
  do {
    page = await readPage(ctx, after, { prefixes: [sealPrefix(ctx)], kinds: secretKinds, limit: pageSize });
    const secrets = page.flatMap((row) => {
      const secret = openIfPossible(opener, row);
      if (secret !== undefined)
        return [{ ...row, unreadable: row.sealed, sealed: sealSecret(ctx, secret, boundTo(row)) }];
      const { projectId, kind, name } = row;
      done.unreadable += 1;
      if (done.examples.length < maxExamples) done.examples.push({ projectId, kind, name });
      return [];
    });
    done.resealed += (await resealSecrets(ctx.db, { secrets })).length;
    after = page.at(-1) ?? after;
  } while (page.length === pageSize);
  return done;
}

/** Undefined if no key opens the secret, or if it is damaged. */
function openIfPossible(opener: SealContext, row: ForeignSeal): string | undefined {
  try {
    return openSecret(opener, row.sealed, boundTo(row));
  } catch {
    return openDespitePrefix(opener, row.sealed, boundTo(row));
  }
}

interface PageOf {
  /** The beginnings of secrets that are left out. */
  prefixes: readonly Buffer[];
  kinds: readonly SecretKind[];
  limit: number;
}

const readPage = (ctx: EngineContext, after: SecretRef, of: PageOf): Promise<ForeignSeal[]> =>
  listForeignSeals(ctx.db, {
    ...of,
    afterProject: after.projectId,
    afterKind: after.kind,
    afterName: after.name,
  });
