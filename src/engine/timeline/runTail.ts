import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { isTerminal, type RunStatus } from '../runs/index.ts';
import { frameHub, type RunReader } from './frameHub.ts';
import { Latch } from './mailbox.ts';
import { endsRun } from './runStatusOf.ts';
import { findRunStatus } from './sql/findRunStatus.ts';
import { readFramePage } from './sql/readFramePage.ts';

const pageFrames = 200;
const pageBytes = 1024 * 1024;

export interface TailPosition {
  projectId: string;
  runId: string;
  /** The last `seq` seen; 0, the default, is the start. */
  from?: number | undefined;
}

/**
 * Refuses what cannot be tailed. Throws `notFound` for a run that is not the project's, `invalid`
 * for a bad `from`.
 */
export async function checkPosition(ctx: EngineContext, position: TailPosition): Promise<void> {
  checkFrom(position.from);
  await currentStatus(ctx, position);
}

async function currentStatus(ctx: EngineContext, { projectId, runId }: TailPosition): Promise<RunStatus> {
  const [run] = isId(runId) ? await findRunStatus(ctx.db, { projectId, runId }) : [];
  if (!run) throw notFound('run not found');
  return run.status;
}

function checkFrom(from: number | undefined): number {
  if (from === undefined) return 0;
  if (!Number.isSafeInteger(from) || from < 0) throw invalid('from: must be an integer from 0');
  return from;
}

const finished = { done: true, value: undefined } as const;

/**
 * Owns: the position of one reader in one run's journal.
 * Does not own: the timer, the bus (`FrameHub`).
 *
 * Invariants:
 * 1. Frames are handed out in order of `seq`, each once, none left out.
 * 2. `#page` continues at `#position` without a gap; a frame that does not fit on is dropped and
 *    `#isBehind` set: the database is read once the page is used up. So a slow consumer costs one
 *    page, and no frame.
 * 3. After the frame that ends the run, nothing is waited for.
 */
export class RunTail implements AsyncIterableIterator<Frame>, RunReader {
  readonly runId: string;
  readonly #ctx: EngineContext;
  readonly #projectId: string;
  readonly #signal: AbortSignal | undefined;
  readonly #latch = new Latch();
  readonly #finish = (): void => this.#close();
  #position: number;
  #page: Frame[] = [];
  #bytes = 0;
  #isBehind = true;
  #isReading = false;
  #isOver = false;
  #leave: (() => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ctx: EngineContext, { projectId, runId, from }: TailPosition, signal: AbortSignal | undefined) {
    this.#ctx = ctx;
    this.runId = runId;
    this.#projectId = projectId;
    this.#position = checkFrom(from);
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Frame, undefined>> {
    const result = this.#turn.then(() => this.#advance());
    this.#turn = result.catch(() => this.#close());
    return result;
  }

  /** Ends the tail at once, a `next` that waits included. */
  async return(): Promise<IteratorResult<Frame, undefined>> {
    this.#close();
    return finished;
  }

  get tip(): number | undefined {
    return this.#isBehind || this.#isReading ? undefined : (this.#page.at(-1)?.seq ?? this.#position);
  }

  offer(frames: readonly Frame[]): void {
    const { tip } = this;
    const news = frames.filter(({ seq }) => tip === undefined || seq > tip);
    if (news.length === 0) return;
    if (tip !== undefined && this.#fitsOn(tip, news)) {
      this.#page.push(...news);
      this.#bytes += textLength(news);
    } else this.#isBehind = true;
    this.#latch.open();
  }

  look(): void {
    this.#isBehind = true;
    this.#latch.open();
  }

  #fitsOn(tip: number, news: readonly Frame[]): boolean {
    if (news[0]?.seq !== tip + 1) return false;
    return this.#page.length + news.length <= pageFrames && this.#bytes + textLength(news) <= pageBytes;
  }

  async #advance(): Promise<IteratorResult<Frame, undefined>> {
    await this.#open();
    while (!this.#isOver) {
      const frame = this.#page.shift();
      if (frame) return this.#handOut(frame);
      if (this.#isBehind) await this.#read();
      else await this.#latch.wait();
    }
    return finished;
  }

  #handOut(frame: Frame): IteratorResult<Frame, undefined> {
    this.#position = frame.seq;
    this.#bytes -= frame.payload.length;
    if (endsRun(frame)) this.#close();
    return { done: false, value: frame };
  }

  /** Follows before it reads, so that nothing falls in between. */
  async #open(): Promise<void> {
    if (this.#leave || this.#isOver) return;
    if (this.#signal?.aborted) return this.#close();
    this.#signal?.addEventListener('abort', this.#finish, { once: true });
    this.#leave = frameHub(this.#ctx).follow(this);
    await currentStatus(this.#ctx, { projectId: this.#projectId, runId: this.runId });
  }

  async #read(): Promise<void> {
    if (await this.#readPage()) return;
    const status = await currentStatus(this.#ctx, { projectId: this.#projectId, runId: this.runId });
    // The last frame was committed with the status, perhaps after the page was read.
    if (isTerminal(status) && !(await this.#readPage())) this.#close();
  }

  async #readPage(): Promise<boolean> {
    this.#isBehind = false;
    this.#isReading = true;
    try {
      const position = { projectId: this.#projectId, runId: this.runId, from: this.#position };
      const bounds = { limit: pageFrames, maxBytes: pageBytes };
      this.#page = await readFramePage(this.#ctx.db, { ...position, ...bounds });
    } finally {
      this.#isReading = false;
    }
    const size = this.#page.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
    if (this.#page.length === pageFrames || size >= pageBytes) this.#isBehind = true;
    this.#bytes = textLength(this.#page);
    return this.#page.length > 0;
  }

  #close(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#finish);
    this.#leave?.();
    this.#page = [];
    this.#latch.open();
  }
}

const textLength = (frames: readonly Frame[]): number => frames.reduce((sum, { payload }) => sum + payload.length, 0);

export interface RunTailQuery extends TailPosition {
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

/**
 * The frames of a run after `from`: first those that are there, then live, until the run has ended
 * (4.5). In order, each once, none left out, whichever process commits them; a slow consumer holds
 * no more than a page. Throws `invalid` for a bad `from`; the first step of the iteration throws
 * `notFound` for a run that is not the project's. Ends quietly when the signal aborts or the
 * iteration is left.
 */
export function tailRun(ctx: EngineContext, { signal, ...position }: RunTailQuery): AsyncIterableIterator<Frame> {
  return new RunTail(ctx, position, signal);
}
