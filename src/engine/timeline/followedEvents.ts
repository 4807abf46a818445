import type { RecentEventRow } from './sql/listRecentEvents.ts';

/** An event that was recorded: which, and what filters ask for. Its record is read from the event log. */
export interface IngestedEvent {
  id: string;
  app: string;
  name: string;
}

export type EventListener = (event: IngestedEvent) => void;

type Row = Omit<RecentEventRow, 'projectId'>;

const maxTold = 4_000;
const maxAnnounced = 4_000;

/**
 * Owns: who follows the events of one project, what they were told, and what they are to be told next.
 *
 * Invariants:
 * 1. Each event is told once.
 * 2. Before an event is told, all of older ids are that were committed before it was recorded, or with it. So of those that are
 *    found in the log, the tail of a consumer who comes back knows which were told before (`EventTail`).
 */
export class FollowedEvents {
  /** With each listener the number of the first announcement that it is told of. */
  readonly #listeners = new Map<EventListener, number>();
  /** Ids that were told, or are older than this. The oldest go first. */
  readonly #told = new Set<string>();
  /** Events whose record is complete, and which wait for a look at the log. */
  readonly #announced = new Map<string, { event: IngestedEvent; no: number }>();
  /** Ids below this were there before anybody followed. */
  readonly #startId: string;
  #announcements = 0;
  #isPrimed = false;
  #hasNews = false;
  #settlePrimed: () => void = () => undefined;
  /** Resolves once what comes later is told, or nobody follows any more. */
  readonly primed = new Promise<void>((resolve) => {
    this.#settlePrimed = resolve;
  });

  constructor(startId: string) {
    this.#startId = startId;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whether a look at the log was taken: what comes later is told. */
  get isPrimed(): boolean {
    return this.#isPrimed;
  }

  /** Whether anything was announced since the last look. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  add(listener: EventListener): void {
    this.#listeners.set(listener, this.#announcements);
  }

  remove(listener: EventListener): void {
    this.#listeners.delete(listener);
    if (!this.isFollowed) this.#settlePrimed();
  }

  /** Says that an event was recorded, and all that its record is to hold. It is told after the next look. */
  announce(event: IngestedEvent): void {
    if (this.#told.has(event.id)) return;
    // So many at once, and their order is lost rather than one of them.
    if (this.#announced.size >= maxAnnounced) for (const id of [...this.#announced.keys()]) this.#tell(id);
    this.#announced.set(event.id, { event, no: this.#announcements++ });
    this.#hasNews = true;
  }

  /** Begins a look at the log; the function that is returned takes what it showed, oldest first, and answers how much of that was told. */
  look(): (rows: readonly Row[], isPatient: boolean) => number {
    const announced = [...this.#announced.keys()];
    this.#hasNews = false;
    return (rows, isPatient) => {
      const found = this.#takeAll(rows, isPatient);
      const shown = new Set(rows.map(({ id }) => id));
      for (const id of announced) if (!shown.has(id)) this.#tell(id);
      this.#isPrimed = true;
      this.#settlePrimed();
      return found;
    };
  }

  /**
   * An event that nobody announced is told at once by a look that waited for none; else it is given time, and what has to
   * come after it is kept back.
   */
  #takeAll(rows: readonly Row[], isPatient: boolean): number {
    let told = 0;
    const kept: number[] = [];
    for (const { xid, snapshot, id, app, name } of rows) {
      if (this.#told.has(id) || this.#isOfThePast(id)) continue;
      const isKept =
        isPatient && (!this.#announced.has(id) || kept.some((each) => each === xid || wasOver(each, snapshot)));
      if (isKept) kept.push(xid ?? 0);
      else {
        this.#tell(id, { id, app, name });
        told += 1;
      }
    }
    return told;
  }

  #isOfThePast(id: string): boolean {
    if (this.#isPrimed || id >= this.#startId || this.#announced.has(id)) return false;
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
    const [oldest] = this.#told;
    if (this.#told.size > maxTold && oldest !== undefined) this.#told.delete(oldest);
  }
}

/** Whether a transaction was over at the moment of a snapshot: `xmin:xmax:` and those between that were not. */
function wasOver(xid: number, snapshot: string | null): boolean {
  const [xmin, xmax, running] = snapshot?.split(':') ?? [];
  return xid < Number(xmin) || (xid < Number(xmax) && !running?.split(',').includes(String(xid)));
}
