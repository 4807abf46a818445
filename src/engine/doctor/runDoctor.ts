import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { lowestIdAt } from '../ids.ts';
import { checks } from './checks.ts';
import { type Check, type Examination, type InvariantId, invariants, type Violation } from './invariants/check.ts';
import { boundTransaction } from './sql/boundTransaction.ts';

export interface DoctorOptions {
  /**
   * How far back finished runs and events are looked at, in ms; a day by default. Unfinished runs
   * are always looked at.
   */
  windowMs?: number | undefined;
  /** What one check may take, in ms, before it is given up; 10 s by default. */
  timeoutMs?: number | undefined;
  /** Only checks of these invariants. */
  only?: readonly string[] | undefined;
}

export interface CheckReport {
  invariant: InvariantId;
  /** What must hold. */
  promise: string;
  check: string;
  violations: Violation[];
  /** There were more than are listed. */
  isCut: boolean;
  /** Why the check came to no end; undefined when it did. */
  gaveUp: string | undefined;
  durationMs: number;
}

export interface DoctorReport {
  examinedAt: Date;
  /** Finished runs and events from before are not looked at. */
  since: Date;
  checks: CheckReport[];
  /** Listed violations, all checks together. */
  violations: number;
  /** Checks that came to no end. */
  gaveUp: number;
}

const dayMs = 86_400_000;
const maxFindings = 100;

/**
 * Holds the database to the invariants of the service. It only reads, one check at a time, each in
 * a short transaction with a time limit, so that it may run beside a busy service. Throws `invalid`
 * on a bad option.
 */
export async function runDoctor(ctx: EngineContext, options: DoctorOptions = {}): Promise<DoctorReport> {
  const { windowMs = dayMs, timeoutMs = 10_000, only } = options;
  if (!(windowMs > 0)) throw invalid('windowMs: must be above 0');
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1) throw invalid('timeoutMs: must be an integer from 1');
  const examinedAt = ctx.clock.now();
  const since = new Date(Math.max(0, examinedAt.getTime() - windowMs));
  const examination: Examination = {
    floorId: lowestIdAt(since),
    now: ctx.clock.sql(),
    limit: maxFindings + 1,
    dedupeWindowMs: ctx.settings.dedupeWindowMs,
    budgetCheckMs: ctx.settings.budgetCheckMs,
  };
  const reports: CheckReport[] = [];
  for (const check of selectChecks(only)) reports.push(await examine(ctx, check, { examination, timeoutMs }));
  return {
    examinedAt,
    since,
    checks: reports,
    violations: reports.reduce((sum, { violations }) => sum + violations.length, 0),
    gaveUp: reports.filter(({ gaveUp }) => gaveUp !== undefined).length,
  };
}

function selectChecks(only: readonly string[] | undefined): readonly Check[] {
  if (!only || only.length === 0) return checks;
  const unknown = only.find((id) => !Object.hasOwn(invariants, id));
  if (unknown !== undefined) throw invalid(`only: must be among ${Object.keys(invariants).join(', ')}`);
  return checks.filter(({ invariant }) => only.includes(invariant));
}

async function examine(
  ctx: EngineContext,
  check: Check,
  { examination, timeoutMs }: { examination: Examination; timeoutMs: number },
): Promise<CheckReport> {
  const { invariant, name } = check;
  const startedAt = performance.now();
  const { violations, gaveUp } = await find(ctx, check, examination, timeoutMs);
  return {
    invariant,
    promise: invariants[invariant],
    check: name,
    violations: violations.slice(0, maxFindings),
    isCut: violations.length > maxFindings,
    gaveUp,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

async function find(
  ctx: EngineContext,
  check: Check,
  examination: Examination,
  timeoutMs: number,
): Promise<{ violations: Violation[]; gaveUp: string | undefined }> {
  try {
    const violations = await ctx.db.transaction(async (tx) => {
      await boundTransaction(tx, { timeoutMs });
      return check.find(tx, examination);
    });
    return { violations, gaveUp: undefined };
  } catch (error) {
    const gaveUp = reasonToGiveUp(error, timeoutMs);
    if (gaveUp === undefined) throw error;
    return { violations: [], gaveUp };
  }
}

/**
 * By PostgreSQL's codes for a statement that met one of the limits set to it; undefined for any
 * other error.
 */
function reasonToGiveUp(error: unknown, timeoutMs: number): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === '57014') return `it took longer than ${timeoutMs} ms`;
  return code === '55P03' ? 'a table was locked' : undefined;
}
