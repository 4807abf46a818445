import { useSyncExternalStore } from 'react';
import { type Credentials, onRefusedKey, setCredentials } from '../data/credentials.ts';
import { graphql } from '../data/graphql.ts';
import { queryClient } from '../data/queries.ts';
import { request } from '../data/request.ts';
import { asRequestError, explain } from '../data/requestError.ts';
import { askOtherTabs, forgetKey, keepKey, keptKey, onAsked } from './handOver.ts';
import { exchangeCode, takeCode } from './oneTimeCode.ts';
import type { KeyKind } from './permissions.ts';

const viewerDocument = graphql(`
  query Viewer {
    viewer {
      kind
      name
      actor
      project {
        id
        name
        suspended
      }
    }
  }
`);

export interface Viewer {
  kind: KeyKind;
  name: string;
  actor: string | null;
  project: { id: string; name: string; suspended: boolean } | null;
}

export interface Session {
  /** `restoring`: a code is exchanged, or other tabs are asked for a key. */
  phase: 'restoring' | 'signedOut' | 'signedIn';
  /** The last viewer. It stays while the page waits under the sign-in dialog. */
  viewer: Viewer | undefined;
  /** Why the session ended, why a code failed, or why a kept key is not in use yet. */
  reason: string | undefined;
}

let session: Session = { phase: 'restoring', viewer: undefined, reason: undefined };
let credentials: Credentials | undefined;
let isKept = false;
const listeners = new Set<() => void>();

export const presentSession = (): Session => session;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSession = (): Session => useSyncExternalStore(onSession, presentSession);

function set(next: Session): void {
  session = next;
  for (const each of listeners) each();
}

/** Signs in by a one-time code of the address, by the key of this tab, or by that of another. */
export async function restoreSession(): Promise<void> {
  onRefusedKey((reason) => endSession(reason));
  onAsked(() => (isKept ? credentials : undefined));
  const code = takeCode();
  try {
    if (code) return await signIn(await exchangeCode(code), { isKept: false });
    const known = keptKey() ?? (await askOtherTabs());
    if (known) return await signInPatiently(known);
    set({ phase: 'signedOut', viewer: undefined, reason: undefined });
  } catch (error) {
    forgetKey();
    set({ phase: 'signedOut', viewer: undefined, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** The delay before the service is asked again for the owner of a kept key, in ms. */
const againMs = 2_000;

/** Signs in by a kept key. The key stays while the service is away or busy, as during a deploy. */
async function signInPatiently(known: Credentials): Promise<void> {
  for (;;) {
    try {
      return await signIn(known, { isKept: true });
    } catch (error) {
      if (!asRequestError(error).isPassing) throw error;
      set({ phase: 'restoring', viewer: undefined, reason: explain(error).title });
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}

/** Signs in. Throws `RequestError` if the service refuses the key, the project or the person. */
export async function signIn(wanted: Credentials, keep: { isKept: boolean }): Promise<void> {
  const { viewer } = await request(viewerDocument, { credentials: wanted, variables: {} });
  const scope = scopeOf(viewer);
  if (session.viewer && scopeOf(session.viewer) !== scope) queryClient.clear();
  credentials = wanted;
  isKept = keep.isKept;
  if (isKept) {
    keepKey(wanted);
  } else {
    forgetKey();
  }
  setCredentials(wanted, scope);
  set({ phase: 'signedIn', viewer, reason: undefined });
  await queryClient.invalidateQueries();
}

/** Acts in another project from now on: for operator and platform keys. */
export async function switchProject(project: string): Promise<void> {
  if (credentials) await signIn({ ...credentials, project }, { isKept });
}

/** Reads the viewer again: another name or a suspension of the project shows. */
export async function refreshViewer(): Promise<void> {
  if (!credentials) return;
  const { viewer } = await request(viewerDocument, { credentials, variables: {} });
  if (session.phase === 'signedIn') set({ ...session, viewer });
}

/**
 * Ends the session: drops the key, the socket and all answers that the page does not show. The page
 * stays under the sign-in dialog.
 */
export function endSession(reason?: string): void {
  if (session.phase !== 'signedIn') return;
  credentials = undefined;
  isKept = false;
  forgetKey();
  setCredentials(undefined, '');
  queryClient.removeQueries({ type: 'inactive' });
  set({ phase: 'signedOut', viewer: session.viewer, reason });
}

const scopeOf = ({ kind, project }: Viewer): string => `${kind} ${project?.id ?? ''}`;
