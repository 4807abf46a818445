import { type Deed, refusalOf } from './permissions.ts';
import { useSession } from './session.ts';

/** Why the present key may not do something; undefined if it may. */
export function useRefusal(deed: Deed): string | undefined {
  const { viewer } = useSession();
  if (!viewer) return 'signed out';
  return refusalOf({ kind: viewer.kind, isSuspended: viewer.project?.suspended }, deed);
}
