import type { EngineContext } from '../context.ts';
import { errorCode } from '../db/index.ts';
import { invalid } from '../errors.ts';
import { lowestIdAt } from '../ids.ts';
import { checks } from './checks.ts';
import { type Check, type Examination, type InvariantId, invariants, type Violation } from './invariants/check.ts';
import { boundTransaction } from './sql/boundTransaction.ts';

export interface DoctorOptions {
  /**
   * The age up to which ended runs and events are checked, in ms; default a day. Unfinished runs
   * are always checked.
   */
  windowMs?: number | undefined;
  /** The time limit of a check, in ms; default 10 s. */
  timeoutMs?: number | undefined;
  /** The time between the two looks of a check that looks twice, in ms; default 4 s. */
  secondLookMs?: number | undefined;
  /** Default: the checks of all invariants. */
  only?: readonly string[] | undefined;
}

export interface CheckReport {
  invariant: InvariantId;
  /** The sentence of the invariant. */
  promise: string;
  check: string;
  violations: Violation[];
  /** There are more violations than listed. */
  isCut: boolean;
  /** Why the check was aborted; undefined if it finished. */
  gaveUp: string | undefined;
  durationMs: number;
}

export interface DoctorReport {
  examinedAt: Date;
  /** Ended runs and events before this time are not checked. */
  since: Date;
  checks: CheckReport[];
  /** The listed violations of all checks. */
  violations: number;
  /** The number of aborted checks. */
  gaveUp: number;
}

const dayMs = 86_400_000;
const maxFindings = 100;

/**
 * Checks the database for violations of the service's invariants. Only reads, with one short,
 * limited transaction per check, so it can run beside a busy service. Throws `invalid` on a bad
 * option.
 */
export async function runDoctor(ctx: EngineContext, options: DoctorOptions = {}): Promise<DoctorReport> {
  const { windowMs = dayMs, timeoutMs = 10_000, secondLookMs = 4_000, only } = options;
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
    secondLookMs,
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

/** Maps PostgreSQL's codes for an exceeded limit; undefined for other errors. */
function reasonToGiveUp(error: unknown, timeoutMs: number): string | undefined {
  const code = errorCode(error);
  if (code === '57014') return `the check took longer than ${timeoutMs} ms`;
  return code === '55P03' ? 'a table was locked' : undefined;
}
