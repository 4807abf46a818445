import type { RecentEventRow } from './sql/listRecentEvents.ts';

/**
 * An event that was recorded: which, and what filters ask for. Its record is read from the event
 * log.
 */
export interface IngestedEvent {
  id: string;
  app: string;
  name: string;
}

export type EventListener = (event: IngestedEvent) => void;

type Row = Omit<RecentEventRow, 'projectId' | 'current'>;

/**
 * From one impatient look to the next, looks may show again what was told between: then more is
 * remembered.
 */
const maxTold = 4_000;
const maxToldBetween = 20_000;
const maxAnnounced = 4_000;
/** How long an event is kept that nobody announced, from the look that showed it first. */
const patienceMs = 100;

/**
 * Owns: who follows the events of one project, what they were told, and what they are to be told
 * next.
 *
 * Invariants:
 * 1. Each event is told once.
 * 2. Before an event is told, all of older ids are that were committed before it was recorded, or
 *    with it. So of those that are found in the log, the tail of a consumer who comes back knows
 *    which were told before (`EventTail`).
 * 3. An event that nobody announces keeps others waiting for a tenth of a second at most.
 */
export class FollowedEvents {
  /** With each listener the number of the first announcement that it is told of. */
  readonly #listeners = new Map<EventListener, number>();
  /** Ids that were told, or are older than this. The oldest go first. */
  readonly #told = new Set<string>();
  /** Events whose record is complete, and which wait for a look at the log. */
  readonly #announced = new Map<string, { event: IngestedEvent; no: number }>();
  /** What the last look showed and did not tell, with the time when a look showed it first. */
  #kept: ReadonlyMap<string, number> = new Map();
  /** Ids below this were there before anybody followed. */
  readonly #startId: string;
  readonly #now: () => number;
  #announcements = 0;
  /** How many of the announcements had come when the last look began. */
  #lookedAfter = 0;
  #isPrimed = false;
  #settlePrimed: () => void = () => undefined;
  /** Resolves once what comes later is told, or nobody follows any more. */
  readonly primed = new Promise<void>((resolve) => {
    this.#settlePrimed = resolve;
  });

  /** `now`: in ms, since whenever. */
  constructor(startId: string, now: () => number) {
    this.#startId = startId;
    this.#now = now;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whether a look at the log was taken: what comes later is told. */
  get isPrimed(): boolean {
    return this.#isPrimed;
  }

  /** Whether the last look showed anything that is not told yet. */
  get hasKept(): boolean {
    return this.#kept.size > 0;
  }

  /** Whether another look is due: something was announced since the last one, or is kept. */
  get hasNews(): boolean {
    return this.#announcements > this.#lookedAfter || this.hasKept;
  }

  /**
   * Whether a look need not show what is older than this: all of that was there before anybody
   * followed.
   */
  isBehind(id: string): boolean {
    return !this.#isPrimed && id < this.#startId;
  }

  add(listener: EventListener): void {
    this.#listeners.set(listener, this.#announcements);
  }

  remove(listener: EventListener): void {
    this.#listeners.delete(listener);
    if (!this.isFollowed) this.#settlePrimed();
  }

  /**
   * Says that an event was recorded, and all that its record is to hold. It is told after the next
   * look.
   */
  announce(event: IngestedEvent): void {
    if (this.#told.has(event.id)) return;
    // So many at once, and what nobody announced yet comes after them, rather than that one is
    // lost.
    if (this.#announced.size >= maxAnnounced) for (const id of [...this.#announced.keys()].sort()) this.#tell(id);
    this.#announced.set(event.id, { event, no: this.#announcements++ });
  }

  /**
   * Begins a look at the log; the function that is returned takes what it showed, oldest first, and
   * answers how much of that was told.
   */
  look(): (rows: readonly Row[], isPatient: boolean) => number {
    const announced = [...this.#announced.keys()].sort();
    const announcements = this.#announcements;
    return (rows, isPatient) => {
      // What a look does not show is older than all that it shows.
      const shown = new Set(rows.map(({ id }) => id));
      for (const id of announced) if (!shown.has(id)) this.#tell(id);
      // The first look keeps nothing, so that what was there before it need not be shown again.
      const found = this.#takeAll(rows, isPatient && this.#isPrimed);
      this.#lookedAfter = announcements;
      this.#isPrimed = true;
      this.#settlePrimed();
      if (!isPatient) this.#forgetBeyond(maxTold);
      return found;
    };
  }

  /**
   * An event that nobody announced is told at once by a look that waited for none; else it is given
   * time, and what has to come after it is kept back.
   */
  #takeAll(rows: readonly Row[], isPatient: boolean): number {
    let told = 0;
    const now = this.#now();
    const kept = new Map<string, number>();
    const keptXids = new Set<number>();
    for (const { xid, snapshot, id, app, name } of rows) {
      if (this.#told.has(id) || this.#isOfThePast(id)) continue;
      const seenAt = this.#kept.get(id) ?? now;
      const isAwaited = !this.#announced.has(id) && now - seenAt < patienceMs;
      if (isPatient && (isAwaited || wasAnyOver(keptXids, xid, snapshot))) {
        kept.set(id, seenAt);
        keptXids.add(xid ?? 0);
      } else {
        this.#tell(id, { id, app, name });
        told += 1;
      }
    }
    this.#kept = kept;
    return told;
  }

  #isOfThePast(id: string): boolean {
    if (!this.isBehind(id) || this.#announced.has(id)) return false;
    this.#remember(id);
    return true;
  }

  #tell(id: string, found?: IngestedEvent): void {
    const announced = this.#announced.get(id);
    const event = announced?.event ?? found;
    this.#announced.delete(id);
    if (!event || this.#told.has(id)) return;
    this.#remember(id);
    const no = announced?.no ?? Number.POSITIVE_INFINITY;
    for (const [listener, from] of this.#listeners) if (no >= from) listener(event);
  }

  #remember(id: string): void {
    this.#told.add(id);
    this.#forgetBeyond(maxToldBetween);
  }

  #forgetBeyond(count: number): void {
    for (const id of this.#told) {
      if (this.#told.size <= count) break;
      this.#told.delete(id);
    }
  }
}

/**
 * Whether any of these transactions is the one that recorded an event, or was over by then: at the
 * moment of a snapshot, which is `xmin:xmax:` and those between that were not over.
 */
function wasAnyOver(xids: ReadonlySet<number>, by: number | null, snapshot: string | null): boolean {
  if (xids.size === 0) return false;
  const [xmin, xmax, running] = snapshot?.split(':') ?? [];
  const wereRunning = new Set(running?.split(',').map(Number));
  for (const xid of xids) {
    if (xid === by || xid < Number(xmin) || (xid < Number(xmax) && !wereRunning.has(xid))) return true;
  }
  return false;
}
