import type { OpcodeKind } from '../protocol.ts';
import { stepsPerPass } from './continuation.ts';
import type { Report } from './opcodeText.ts';

/** Takes the report of a new step once it is performed. */
export type Performed = (report: Report) => void;

/** The new steps that one answer will report, in the order of their calls. */
export class Discoveries {
  /** Kinds of the new steps that are left to the next pass. */
  readonly left = new Set<OpcodeKind>();
  readonly #slots: { report?: Report }[] = [];
  #firsts = 0;
  #running = 0;

  /** Whether a step is being performed. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** Whether the answer can report no further step. */
  get isFull(): boolean {
    return this.#slots.length === stepsPerPass;
  }

  /** Whether a step is settled, so that the service asks again at once. */
  get hasReady(): boolean {
    return this.#slots.some(({ report }) => report?.isReady);
  }

  get reports(): Report[] {
    return this.#slots.flatMap(({ report }) => report ?? []);
  }

  /** Begins a step. `position`: its place among the steps that are reported for the first time. */
  begin({ isFirst }: { isFirst: boolean }): { position: number | undefined; end: Performed } {
    const slot: { report?: Report } = {};
    this.#slots.push(slot);
    this.#running += 1;
    return {
      position: isFirst ? this.#firsts++ : undefined,
      end: (report) => {
        slot.report = report;
        this.#running -= 1;
      },
    };
  }
}
