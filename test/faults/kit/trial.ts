import pg from 'pg';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import type { Keys } from '../../../src/keysFile.ts';
import { checkLedgers } from '../../support/checkLedgers.ts';
import { type FaultEntry, preciseNow } from '../../support/ledgers.ts';
import { observeService } from '../../support/observeService.ts';
import { Fleet } from './fleet.ts';
import { Load } from './load.ts';

interface Service {
  baseUrls: readonly string[];
  keys: Keys;
  databaseUrl: string;
}

/** Load on a service that faults strike, and the judgement of what is left behind. */
export class Trial {
  readonly load: Load;
  readonly fleet: Fleet;
  readonly faults: FaultEntry[] = [];
  readonly #excused: { baseUrl: string; sinceMs: number }[] = [];
  readonly #service: Service;

  private constructor(service: Service, perSecond: number) {
    const { baseUrls, keys } = service;
    this.#service = service;
    this.fleet = new Fleet(baseUrls, keys.secretKey);
    this.load = new Load(baseUrls, { secretKey: keys.secretKey, perSecond });
  }

  /** Begins once runs come to their end. */
  static async begin(service: Service, perSecond: number): Promise<Trial> {
    const trial = new Trial(service, perSecond);
    await trial.progress();
    trial.load.failures.splice(0);
    return trial;
  }

  /**
   * Notes that something is struck: just before, and once more when it is over, as what is under
   * way in between may have to be done again. Answers when that was.
   */
  strike(what: string): number {
    const at = preciseNow();
    this.faults.push({ kind: 'fault', at, what });
    return at;
  }

  /**
   * A process that stood still goes on: what it was about to send when it was stopped, no fence can
   * hold back any more. Runners may execute steps again for it; the service takes none of that.
   */
  excuse(baseUrl: string): void {
    this.#excused.push({ baseUrl, sinceMs: preciseNow() });
  }

  /** Waits until some runs have ended that had not before. */
  async progress(count = 20): Promise<void> {
    const before = await this.#countEnded();
    await until(async () => (await this.#countEnded()) >= before + count, 'runs to come to their end');
  }

  /** Ends the load, waits for all runs, and holds ledgers, journals and tables to the promises. */
  async judge(): Promise<void> {
    const { baseUrls, keys, databaseUrl } = this.#service;
    await this.load.stop();
    await until(async () => (await this.#count('select count(*)::int as n from run_work')) === 0, 'all runs to end');
    this.fleet.close();
    const runner = this.fleet.entriesBut(({ at, baseUrl }) =>
      this.#excused.some((each) => each.baseUrl === baseUrl && at >= each.sinceMs && at < each.sinceMs + excusedMs),
    );
    const ledgers = { client: this.load.entries, runner, faults: this.faults };
    const address = { baseUrl: baseUrls[0] ?? '', apiKey: keys.secretKey };
    const report = checkLedgers(ledgers, await observeService(address, this.load.entries));
    expect(report.violations).toEqual([]);
    expect(report.counts).toMatchObject({ requests: this.load.started, acknowledged: this.load.started });
    expect(report.counts.runs).toBe(this.load.started);
    const db = await openDatabase({ url: databaseUrl });
    try {
      const engine = createEngine({ db, log: pino({ level: 'silent' }), settings: { operatorKey: keys.operatorKey } });
      expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
    } finally {
      await db.close();
    }
  }

  #countEnded(): Promise<number> {
    return this.#count('select count(*)::int as n from run where ended_at is not null');
  }

  async #count(text: string): Promise<number> {
    const client = new pg.Client({ connectionString: this.#service.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<{ n: number }>(text);
      return rows[0]?.n ?? 0;
    } finally {
      await client.end();
    }
  }
}

const excusedMs = 2_000;

/**
 * Looks again and again, for `seconds` at most. What cannot be asked right now has not happened
 * yet.
 */
export async function until(isSo: () => Promise<boolean>, what: string, seconds = 120): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await pause(100);
  }
}

/** Real processes die and come back in their own time: there is no event to wait for. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
