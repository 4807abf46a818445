import type { Holdfast, RunFrame } from '@holdfast/sdk';

type Colour = 'grey' | 'green' | 'red' | 'yellow' | 'cyan' | 'bold';
const codes: Record<Colour, number> = { grey: 90, green: 32, red: 31, yellow: 33, cyan: 36, bold: 1 };

/** Follows runs and prints what happens in them, a line each, as it happens. */
export class Board {
  readonly #hf: Holdfast;
  readonly #write: (line: string) => void;
  readonly #isColoured: boolean;
  readonly #startedAt = performance.now();
  readonly #followed = new Map<string, Promise<void>>();
  #listener: (runId: string, frame: RunFrame) => void = () => {};

  constructor(hf: Holdfast, output: NodeJS.WriteStream = process.stdout) {
    this.#hf = hf;
    this.#isColoured = output.isTTY === true && process.env.NO_COLOR === undefined;
    this.#write = (line) => output.write(`${line}\n`);
  }

  /** Calls `listener` with every frame of every run that is followed. */
  onFrame(listener: (runId: string, frame: RunFrame) => void): void {
    this.#listener = listener;
  }

  say(text: string): void {
    this.#write(`${this.#clock()}  ${this.#paint(text, 'bold')}`);
  }

  /** Prints a run's frames to its end. */
  follow(runId: string, title: string): void {
    if (this.#followed.has(runId)) return;
    this.#followed.set(runId, this.#print(runId, `${title} ${this.#paint(runId.slice(-4), 'grey')}`));
  }

  /** Resolves when every run that is followed has ended, those too that were added meanwhile. */
  async allEnded(): Promise<string[]> {
    for (let known = -1; known < this.#followed.size; ) {
      known = this.#followed.size;
      await Promise.all(this.#followed.values());
    }
    return [...this.#followed.keys()];
  }

  async #print(runId: string, title: string): Promise<void> {
    for await (const frame of this.#hf.runs.stream(runId)) {
      const [text, colour] = describe(frame);
      this.#write(`${this.#clock()}  ${title}  ${this.#paint(text, colour)}`);
      this.#listener(runId, frame);
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
