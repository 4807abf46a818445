import { hasUnsupportedCharacter } from '../../engine/json/index.ts';

/** A Prisma condition on `app`; none when no app is named. PostgreSQL refuses what no stored name can hold. */
export function ofApp(app: string | null | undefined): { app?: string | { in: string[] } } {
  if (app === null || app === undefined) return {};
  return { app: hasUnsupportedCharacter(app) ? { in: [] } : app };
}
