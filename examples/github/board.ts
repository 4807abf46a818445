import type { Holdfast, RunFrame } from '@holdfast/sdk';

type Colour = 'grey' | 'green' | 'red' | 'yellow' | 'cyan' | 'bold';
const codes: Record<Colour, number> = { grey: 90, green: 32, red: 31, yellow: 33, cyan: 36, bold: 1 };

/** Follows runs, and prints a line for each of their frames. */
export class Board {
  readonly #hf: Holdfast;
  readonly #write: (line: string) => void;
  readonly #isColoured: boolean;
  readonly #startedAt = performance.now();
  readonly #signal: AbortSignal;
  readonly #runIds = new Set<string>();
  readonly #pending: Promise<void>[] = [];
  #failure: unknown;
  #listener: (runId: string, frame: RunFrame) => void = () => {};

  constructor(hf: Holdfast, signal: AbortSignal, output: NodeJS.WriteStream = process.stdout) {
    this.#hf = hf;
    this.#signal = signal;
    this.#isColoured = output.isTTY === true && process.env.NO_COLOR === undefined;
    this.#write = (line) => output.write(`${line}\n`);
  }

  /** Calls `listener` with every frame of every followed run. */
  onFrame(listener: (runId: string, frame: RunFrame) => void): void {
    this.#listener = listener;
  }

  print(text: string): void {
    this.#write(`${this.#clock()}  ${this.#paint(text, 'bold')}`);
  }

  follow(runId: string, title: string): void {
    if (this.#runIds.has(runId)) return;
    this.#runIds.add(runId);
    this.keep(this.#print(runId, `${title} ${this.#paint(runId.slice(-4), 'grey')}`));
  }

  /** Adds work for which `allEnded` also waits. */
  keep(work: Promise<void>): void {
    this.#pending.push(
      work.catch((cause: unknown) => {
        this.#failure ??= cause;
      }),
    );
  }

  /**
   * Resolves with the ids of all runs when all have ended, including later ones. Throws the first
   * failure.
   */
  async allEnded(): Promise<string[]> {
    while (this.#pending.length > 0) await this.#pending.shift();
    if (this.#failure !== undefined) throw this.#failure;
    return [...this.#runIds];
  }

  async #print(runId: string, title: string): Promise<void> {
    for await (const frame of this.#hf.runs.stream(runId, { signal: this.#signal })) {
      this.#listener(runId, frame);
      if (isTransit(frame)) continue;
      const [text, colour] = describe(frame);
      this.#write(`${this.#clock()}  ${title}  ${this.#paint(text, colour)}`);
    }
  }

  #clock(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    return this.#paint(`${seconds.toFixed(2).padStart(6)} s`, 'grey');
  }

  #paint(text: string, colour: Colour): string {
    return this.#isColoured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
  }
}

/** A run changes between these statuses with every step, so its steps tell more. */
function isTransit(frame: RunFrame): boolean {
  return frame.kind === 'run_status' && ['queued', 'running', 'waiting'].includes(frame.status);
}

function describe(frame: RunFrame): [string, Colour] {
  switch (frame.kind) {
    case 'log':
      return [`  ${frame.message}`, 'grey'];
    case 'run_status':
      return [`run ${frame.status}${reason(frame.error)}`, runColours[frame.status] ?? 'cyan'];
    case 'step_status': {
      const again = frame.willRetry === true ? ', to be tried again' : '';
      const attempt = frame.attempt > 1 ? ` (attempt ${frame.attempt})` : '';
      const text = `${marks[frame.status]} ${frame.step}${attempt}: ${frame.status}${reason(frame.error)}${again}`;
      return [text, frame.willRetry === true ? 'yellow' : stepColours[frame.status]];
    }
  }
}

function reason(error: { message: string } | undefined): string {
  return error === undefined ? '' : `: ${error.message}`;
}

const runColours: Partial<Record<string, Colour>> = { succeeded: 'green', failed: 'red', cancelled: 'red' };
const marks = { running: '…', waiting: '◌', succeeded: '✓', failed: '✗', skipped: '-', cancelled: '✗' };
const stepColours = {
  running: 'cyan',
  waiting: 'cyan',
  succeeded: 'green',
  failed: 'red',
  skipped: 'grey',
  cancelled: 'red',
} as const;
